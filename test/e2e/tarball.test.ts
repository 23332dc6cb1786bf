/** What is published, as a newcomer gets it: packed, installed into an empty folder, and used there with the oldest Node. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { ownNodeVersion, ROOT, run, whyNoRegistry } from './npm.ts';

const OLDEST_NODE = '22.18.0';

test('the packed package installs elsewhere and runs on the oldest Node that it promises', async (context) => {
  const obstacle = whyNoRegistry();
  if (obstacle !== undefined) context.skip(`skipped: ${obstacle}`);
  await using dir = await makeTempDir();
  const app = dir.path;
  const packed = run('npm', ['pack', '--pack-destination', app], {
    cwd: ROOT,
    bin: join(ROOT, 'node_modules/.bin'),
  });
  expect(packed.status, packed.stderr).toBe(0);
  const tarball = readdirSync(app).find((name) => name.endsWith('.tgz')) ?? '';
  // `npm init` writes "type": "commonjs", which must not hinder eval files.
  run('npm', ['init', '--yes'], { cwd: app });
  const installed = run('npm', ['install', `./${tarball}`, `node@${OLDEST_NODE}`], { cwd: app });
  expect(installed.status, installed.stderr).toBe(0);
  const bin = join(app, 'node_modules/.bin');
  const holdfast = (...args: string[]) => run('holdfast', args, { cwd: app, bin });

  expect(run('node', ['--version'], { cwd: app, bin }).stdout.trim()).toBe(`v${OLDEST_NODE}`);
  expect(holdfast('--version').stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
  expect(holdfast('init')).toMatchObject({ status: 0, stderr: '' });
  const first = holdfast('run', 'capitals.eval.ts', '--model', 'mock/echo');
  expect(first.status, first.stderr).toBe(0);
  expect(first.stdout).toContain('holdfast studio');
  expect(first.stderr).not.toContain('Warning');
  expect(holdfast('log', 'verify', 'logs').stdout).toContain('1 log whole.');

  // Who uses no bucket in S3 need not have its client; who does is told how to get it.
  const away = holdfast('log', 'list', 's3://nowhere/logs', '--verbose');
  expect([away.status, away.stderr]).toEqual([2, expect.stringContaining('npm install @aws-sdk/client-s3')]);
  expect(away.stderr).toContain('E_BUCKET_CLIENT');

  const demo = holdfast('demo', '--dir', 'demo', '--json');
  expect(demo.status, demo.stderr).toBe(0);
  expect(JSON.parse(demo.stdout).runs[0].samples).toMatchObject({ planned: 200, remaining: 0, lost: 0 });

  await checkLibrary(app, bin);
  checkTypes(app);
}, 400_000);

test('an older Node gets one clear sentence, not a stack trace', (context) => {
  const [major, minor] = ownNodeVersion();
  if (major > 22 || (major === 22 && minor >= 18))
    context.skip(`skipped: this machine has Node ${major}.${minor} only`);
  const { status, stderr } = run('node', ['bin/holdfast.js', 'run', 'x'], { cwd: ROOT });
  expect(status).toBe(2);
  expect(stderr).toMatch(/^holdfast needs Node 22\.18 or newer, and this is Node \d.*\n$/);
});

/** The public library from plain JavaScript. */
async function checkLibrary(app: string, bin: string): Promise<void> {
  await writeFile(
    join(app, 'use.mjs'),
    `import { defineEval, exact, openLog, runEval } from 'holdfast';
     const definition = defineEval({ name: 'lib', data: [{ input: 'a', target: 'a' }], target: ({ input }) => input, scorers: [exact()] });
     const { account, results } = await runEval(definition, { workDir: ${JSON.stringify(app)} });
     const log = await openLog(account.log);
     console.log(JSON.stringify({ state: account.state, total: results.total_samples, samples: (await log.samples()).length }));
     await log.close();`,
  );
  const used = run('node', ['use.mjs'], { cwd: app, bin });
  expect(used.stdout.trim(), used.stderr).toBe('{"state":"done","total":1,"samples":1}');
}

/** The types that are published, in a strict project: input, output and target are inferred. */
function checkTypes(app: string): void {
  const files = {
    'types.eval.ts': `import { generateText } from 'ai';
      import { defineEval } from 'holdfast';
      defineEval({ name: 'y', data: [{ input: 'a' }], target: async ({ input }, { model }) => (await generateText({ model, prompt: input })).text, scorers: [] });
      export default defineEval({ name: 'x', data: [{ input: { q: 'a' }, target: 3 }],
        target: async ({ input, target }) => input.q.length + (target ?? 0), scorers: [({ output }) => output.toFixed(0) === '4'] });
      // @ts-expect-error there is no such field
      defineEval({ name: 'x', data: [{ input: { q: 'a' } }], target: ({ input }) => input.nope, scorers: [] });\n`,
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        module: 'nodenext',
        target: 'es2024',
        strict: true,
        noEmit: true,
        skipLibCheck: true,
      },
      include: ['*.ts'],
    }),
  };
  const script = `const fs = require('node:fs'); for (const [name, text] of Object.entries(${JSON.stringify(files)})) fs.writeFileSync(name, text);`;
  execFileSync(process.execPath, ['-e', script], { cwd: app });
  const checked = run(join(ROOT, 'node_modules/.bin/tsc'), ['--project', '.'], {
    cwd: app,
    bin: join(ROOT, 'node_modules/.bin'),
  });
  expect(checked.stdout).toBe('');
}
