import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runRecord } from '../sim/journal-fixture.ts';
import { makeTempDir } from '../sim/temp-dir.ts';

const ROOT = join(import.meta.dirname, '../..');
const CHILD = join(import.meta.dirname, 'journal-child.mjs');
const OLDEST = join(import.meta.dirname, 'node_modules/node/bin/node');
/** What is published is a few files with everything in them; the journal alone is wanted here. */
const FILE_BY_FILE = [
  ...['--emitDeclarationOnly', 'false', '--declaration', 'false'],
  ...['--allowImportingTsExtensions', 'false', '--rewriteRelativeImportExtensions'],
];
const promised = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node;

describe.skipIf(!existsSync(OLDEST))(
  'on the oldest Node (needs npm install --prefix test/oldest-node)',
  () => {
    test('[JRN-12] NUL and lone surrogates are written and read as they are, by the oldest Node and by this one', async () => {
      await using dir = await makeTempDir();
      const build = join(dir.path, 'build');
      // Only the language is made older here; that the types are right is for another step to say.
      const project = ['--project', 'tsconfig.build.json', '--outDir', build, '--noCheck'];
      spawnSync('tsc', [...project, ...FILE_BY_FILE], { cwd: ROOT });
      writeFileSync(join(build, 'package.json'), '{ "type": "module", "version": "0.0.0" }');
      symlinkSync(join(ROOT, 'node_modules'), join(build, 'node_modules'));
      const env = { ...process.env, RUN: JSON.stringify(runRecord()) };
      const ask = (node: string, ...args: string[]) =>
        JSON.parse(execFileSync(node, ['--no-warnings', CHILD, ...args], { env, encoding: 'utf8' }));

      const old = ask(OLDEST, 'write', build, join(dir.path, 'old'));
      expect(`>=${old.version}`).toContain(promised);
      const today = ask(process.execPath, 'write', build, join(dir.path, 'today'));
      const expected = {
        id: 'id with \0',
        sample: {
          input: expect.stringMatching(/^long \0 x+ \0 end$/),
          target: expect.stringMatching(/\udfff$/),
        },
        answers: [
          'short \0 NUL',
          expect.stringMatching(/ \0 end$/),
          'lone \ud800',
          expect.stringMatching(/\udfff$/),
        ],
      };
      for (const { found, damage } of [old, today]) {
        expect(found).toMatchObject([expected]);
        expect(found[0].answers[1]).toHaveLength(187);
        expect(damage).toEqual([]);
      }
      expect(old.found).toEqual(today.found);
      expect(ask(process.execPath, 'read', build, old.path).found).toEqual(old.found);
      expect(ask(OLDEST, 'read', build, today.path).found).toEqual(old.found);
    });
  },
);
