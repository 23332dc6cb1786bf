import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { seededRandom } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { openLog, verifyLog } from '../../src/log/index.ts';
import type { Account } from '../../src/runner/index.ts';

const CHILD = join(import.meta.dirname, 'crash-child.ts');

export interface KillLoop {
  readonly dir: string;
  readonly samples: number;
  readonly turns: number;
  readonly kills: number;
  readonly seed: number;
  readonly segments?: string;
}

/** Starts the run again and again, and kills it at a random moment each time; at the end it may finish. */
export async function killLoop(
  loop: KillLoop,
): Promise<{ readonly account: Account; readonly kills: number }> {
  mkdirSync(loop.dir, { recursive: true });
  const random = seededRandom(loop.seed);
  let kills = 0;
  for (;;) {
    const child = start(loop);
    const killing = kills < loop.kills ? killSometime(child, loop, random.next) : undefined;
    const { code, stdout, stderr } = await ended(child);
    await killing;
    if (code === 0) return { account: JSON.parse(stdout) as Account, kills };
    expect(stderr, `seed ${loop.seed}, after ${kills} kills`).toBe('');
    kills++;
  }
}

/** After some lines more in the ledger, or after some time: both at start-up, in the middle and while sealing. */
async function killSometime(child: ChildProcess, loop: KillLoop, chance: () => number): Promise<void> {
  const linesAtStart = ledgerOf(loop.dir).length;
  const lines = Math.floor(((chance() * (loop.samples * loop.turns * 2.4)) / Math.max(1, loop.kills)) * 2);
  const deadline = chance() < 0.15 ? chance() * 500 : 20_000;
  const startedAt = performance.now();
  while (child.exitCode === null && performance.now() - startedAt < deadline) {
    if (ledgerOf(loop.dir).length - linesAtStart > lines) break;
    await sleep(1);
  }
  child.kill('SIGKILL');
}

export function start(loop: Pick<KillLoop, 'dir' | 'samples' | 'turns' | 'segments'>): ChildProcess {
  const args = [CHILD, loop.dir, String(loop.samples), String(loop.turns), loop.segments ?? ''];
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export function ended(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

export function ledgerOf(dir: string): readonly string[] {
  const path = join(dir, 'ledger');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

/** No answer that the target saw was asked for again, and no completed sample was touched again. */
export function checkLedger(dir: string): void {
  const seen = new Set<string>();
  const done = new Set<string>();
  for (const line of ledgerOf(dir)) {
    const [what, sample = '', turn = ''] = line.split(' ');
    if (what === 'asked') {
      expect(seen.has(`${sample} ${turn}`), `${line}: asked again although its answer was seen`).toBe(false);
      expect(done.has(sample), `${line}: asked although the sample was completed`).toBe(false);
    }
    if (what === 'seen') seen.add(`${sample} ${turn}`);
    if (what === 'done') {
      expect(done.has(sample), `${line}: completed twice`).toBe(false);
      done.add(sample);
    }
  }
}

/** The log holds every sample once, whole, with the right answer. */
export async function checkLog(path: string, samples: number): Promise<void> {
  expect((await verifyLog(nodeDisk, path)).problems).toEqual([]);
  const log = await openLog(nodeDisk, path);
  const ids = new Set<string>();
  for await (const summary of log.summaries()) {
    ids.add(String(summary.id));
    expect(summary.scores?.includes?.value, String(summary.id)).toBe('C');
    const sample = await log.sample(summary.id, summary.epoch);
    const index = String(summary.id).slice(1);
    expect(sample?.output.completion).toMatch(new RegExp(`^answer ${index} `));
  }
  expect(ids.size).toBe(samples);
  expect((await log.header()).results?.completed_samples).toBe(samples);
  await log.close();
}
