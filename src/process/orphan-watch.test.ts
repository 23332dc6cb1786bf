import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { stateOfProcess } from '../disk/index.ts';

const isRunning = (pid: number) => stateOfProcess(pid).kind === 'running';

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !isSo(); await sleep(20))
    if (Date.now() > end) throw new Error('it never was so');
}

test('a process in an endless loop ends when whoever started it is gone, and not before', async () => {
  await using dir = await makeTempDir();
  const [script, mark] = [join(dir.path, 'child.ts'), join(dir.path, 'pid')];
  const watch = join(import.meta.dirname, 'orphan-watch.ts');
  // It ends by itself when nobody ends it: a test that fails leaves nothing behind.
  writeFileSync(
    script,
    `import { writeFileSync } from 'node:fs';
     import { endWhenOrphaned } from ${JSON.stringify(watch)};
     endWhenOrphaned(300);
     const untilMs = Date.now() + 60_000;
     writeFileSync(${JSON.stringify(mark)}, String(process.pid));
     while (Date.now() < untilMs);`,
  );
  const parent = spawn('sh', ['-c', `"${process.execPath}" "${script}" & wait`], { stdio: 'ignore' });
  await until(() => existsSync(mark) && readFileSync(mark, 'utf8') !== '');
  const pid = Number(readFileSync(mark, 'utf8'));
  await sleep(1_000);
  expect(isRunning(pid)).toBe(true);
  parent.kill('SIGKILL');
  await until(() => !isRunning(pid));
});

test('what it has started ends with it, also what left its group', async () => {
  await using dir = await makeTempDir();
  const [script, mark] = [join(dir.path, 'child.ts'), join(dir.path, 'pids')];
  const [watch, trees] = ['orphan-watch.ts', 'started-trees.ts'].map((name) =>
    join(import.meta.dirname, name),
  );
  writeFileSync(
    script,
    `import { spawn } from 'node:child_process';
     import { writeFileSync } from 'node:fs';
     import { endWhenOrphaned } from ${JSON.stringify(watch)};
     import { inheritMarker, MARKER_VARIABLE } from ${JSON.stringify(trees)};
     inheritMarker(process.env[MARKER_VARIABLE]);
     endWhenOrphaned(300);
     const env = { ...process.env, [MARKER_VARIABLE]: process.env[MARKER_VARIABLE] + '.agent' };
     const started = spawn('sleep', ['60'], { env, detached: true, stdio: 'ignore' });
     const untilMs = Date.now() + 60_000;
     writeFileSync(${JSON.stringify(mark)}, process.pid + ' ' + started.pid + ' ');
     while (Date.now() < untilMs);`,
  );
  const parent = spawn('sh', ['-c', `"${process.execPath}" "${script}" & wait`], {
    ...{ stdio: 'ignore', env: { ...process.env, HOLDFAST_PROCESS: `test-${process.pid}` } },
  });
  await until(() => existsSync(mark) && readFileSync(mark, 'utf8').endsWith(' '));
  const pids = readFileSync(mark, 'utf8').trim().split(' ').map(Number);
  expect(pids.map(isRunning)).toEqual([true, true]);
  parent.kill('SIGKILL');
  await until(() => !pids.some(isRunning));
});
