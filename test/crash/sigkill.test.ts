import { existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { checkLedger, checkLog, killLoop } from './kill-loop.ts';

const dirs: string[] = [];
const newDir = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sigkill-'));
  dirs.push(dir);
  return dir;
};
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** More in `npm run crash`. */
const KILLS = Number(process.env.HOLDFAST_KILLS ?? 50);
const SEED = Number(process.env.HOLDFAST_SEED ?? 1);

test(`[JRN-6] [JRN-7] ${KILLS} kills: no acknowledged answer is bought again, no completed sample is lost or doubled`, {
  timeout: 240_000 + KILLS * 20_000,
}, async () => {
  const dir = await newDir();
  const { account, kills } = await killLoop({ dir, samples: 150, turns: 3, kills: KILLS, seed: SEED });
  // Where the one that kills is slower than the run, this ends before it was killed so often.
  expect(kills).toBeGreaterThan(KILLS / 2);
  checkLedger(dir);
  expect(account.samples).toMatchObject({ planned: 150, remaining: 0, errored: 0, lost: 0 });
  await checkLog(account.log ?? '', 150);
  // Nothing is left behind but the log: the journal was let go.
  const left = readdirSync(join(dir, 'logs', '.holdfast')).filter((name) => name !== 'accounts');
  expect(left).toEqual([]);
  expect(existsSync(account.log ?? '')).toBe(true);
});
