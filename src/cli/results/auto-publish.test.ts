import { expect, test } from 'vitest';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { nodeDisk } from '../../disk/index.ts';
import { directoryLogStore } from '../../log/index.ts';
import { EXIT } from '../exit-code.ts';
import { openTerminal } from '../terminal.ts';
import { autoPublish, exitCodeAfter } from './auto-publish.ts';

const dir = useTempDir();

test('a failure that nobody thought of is told, and is none of the run', async () => {
  const report = await autoPublish(
    { logs: directoryLogStore(nodeDisk, dir.path), name: 'x.eval' },
    {
      args: [],
      flags: {},
      words: [],
      terminal: openTerminal(process),
      isGiven: () => false,
      settings: () => Promise.reject(new TypeError('of undefined')),
    },
  );
  expect(report?.error).toMatchObject({
    code: 'E_PUBLISH',
    message: expect.stringContaining('of undefined'),
  });
  expect(report?.later).toContain('holdfast results publish');
  expect(exitCodeAfter(EXIT.ok, report, {})).toBe(EXIT.ok);
  expect(exitCodeAfter(EXIT.ok, report, { requirePush: true })).toBe(EXIT.interrupted);
  expect(exitCodeAfter(EXIT.damage, report, { requirePush: true })).toBe(EXIT.damage);
});
