/** The command line as people use it: real processes, started through bin/holdfast.js in a folder of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

export const PROGRAM = join(import.meta.dirname, '../../bin/holdfast.js');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when a text has been said on stderr. */
  said(text: string): Promise<void>;
}

/** Keys and settings of whoever runs the tests must not decide what they see. */
const ENV = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };

export function startHoldfast(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  /** What it is started with. */
  prefix: readonly string[] = [],
): Started {
  const [program = '', ...words] = [...prefix, process.execPath, PROGRAM, ...args];
  const child = spawn(program, words, { cwd, env: { ...ENV, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const said = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => stderr.includes(text) && resolve();
      child.stderr.on('data', look);
      child.once('close', () => reject(new Error(`It ended without saying "${text}":\n${stderr}`)));
      look();
    });
  return { child, ended, said };
}

export function holdfast(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return startHoldfast(cwd, args, env).ended;
}

/** The one JSON document of any command; what it said instead, when there is none. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at a few keys of it.
export const jsonOf = ({ stdout, stderr }: Ended): any => {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`no JSON: ${stdout}\n${stderr}`); // What it said instead is what one wants to see.
  }
};

/** The one JSON document of `--json`. Only the keys that tests look at are typed. */
export function reportOf({ stdout }: Ended): RunReport {
  return JSON.parse(stdout) as RunReport;
}

export interface RunReport {
  readonly exitCode: number;
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
  readonly runs: readonly {
    readonly eval: string;
    readonly target?: string;
    readonly state?: string;
    readonly log?: string;
    readonly samples?: Readonly<Record<string, number>>;
    readonly answers?: Readonly<Record<string, number>>;
    readonly usd?: Readonly<Record<string, number>>;
    readonly error?: { readonly code: string; readonly message: string };
    readonly missed?: readonly string[];
    readonly notes?: readonly string[];
    readonly damage?: readonly string[];
    readonly artifacts?: {
      readonly reused: number;
      readonly built: readonly { readonly unit: string }[];
    };
  }[];
  readonly total: { readonly samples: Readonly<Record<string, number>> };
  readonly next: readonly { readonly what: string; readonly command: string }[];
}

/** Names of all files below a folder. */
export function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();
}
