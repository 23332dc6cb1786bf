// AgentV's dashboard, started for a project and asked for its lists.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Agentv } from './agentv.ts';
import { processorTimeOf } from './processor-time.ts';
import { envOf, type Place } from './timed-process.ts';

const START_MS_MAX = 60_000;
const LOOK_EVERY_MS = 5;
/** It would listen on every network, and has no option against that. */
const LOOPBACK = pathToFileURL(join(import.meta.dirname, 'loopback-only.mjs')).href;

export interface Answer {
  readonly ms: number;
  /** Of the server and what it started. */
  readonly cpuMs: number;
  readonly runs: number;
}

export interface Dashboard extends AsyncDisposable {
  /** From the start of its process until it took connections. */
  readonly start: Omit<Answer, 'runs'>;
  listFifty(): Promise<Answer>;
}

export async function startDashboard(agentv: Agentv, { cwd, home }: Place): Promise<Dashboard> {
  const port = await freePort();
  const from = performance.now();
  const args = [agentv.program, 'dashboard', '--single', '--port', String(port), '--dir', cwd];
  const child = spawn(process.execPath, ['--import', LOOPBACK, ...args], {
    cwd,
    env: envOf(home),
    stdio: 'ignore',
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  try {
    while (!(await isTaken(port))) {
      if (child.exitCode !== null || performance.now() - from > START_MS_MAX)
        throw new Error('The dashboard of AgentV did not start');
      await pause(LOOK_EVERY_MS);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const cpuMs = () => cpuOf(child.pid);
  return {
    start: { ms: performance.now() - from, cpuMs: cpuMs() },
    async listFifty() {
      const [startedMs, cpuBeforeMs] = [performance.now(), cpuMs()];
      const runs = await countRuns(port);
      return { ms: performance.now() - startedMs, cpuMs: cpuMs() - cpuBeforeMs, runs };
    },
    [Symbol.asyncDispose]: stop,
  };
}

async function countRuns(port: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/api/runs?limit=50`);
  if (!response.ok) throw new Error(`The dashboard of AgentV answered ${response.status}`);
  const { runs } = (await response.json()) as { readonly runs: readonly unknown[] };
  return runs.length;
}

function cpuOf(pid: number | undefined): number {
  if (pid === undefined) return Number.NaN;
  const { ownMs, childrenMs } = processorTimeOf(pid);
  return ownMs + childrenMs;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free');
  return address.port;
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
