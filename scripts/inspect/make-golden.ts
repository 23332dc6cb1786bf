// Makes test/golden/inspect anew: runs each case with each version of Inspect, kills it, and keeps what it left.
//
//   node scripts/inspect/make-golden.ts [version …] [--case name]…

import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { type Environment, inspectEnvironment, newestInspect } from './environment.ts';
import { openWorkplace, runPython, useEnvironment, type Workplace } from './workplace.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const GOLDEN = join(ROOT, 'test/golden/inspect');
const WORKPLACE = '/tmp/hf'; // the only path that may be seen inside the golden data
const DEAD_PID = 999_999_999; // above every system's limit, so never alive where the tests run
const OLD_VERSIONS = ['0.3.180', '0.3.212']; // before pools; the first that recovers from segments
const SEEDS = '0.3.285'; // begins a retry's log with the records of the attempt before it
const RECOVER_SINCE = 206; // 0.3.206 brought `inspect log recover`

interface GoldenCase {
  readonly name: string;
  /** The run is killed; otherwise it ends by itself. */
  readonly crashes: boolean;
  /** Its filestore is worth a recovery of its own, without the database. */
  readonly shared?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  readonly run?: string;
  /** Killed when the ledger has so many lines, instead of where the case says. */
  readonly killAtLine?: number;
  /** The second attempt of the case `again`, with the words for run_again.py. */
  readonly again?: readonly string[];
  /** Made with this version alone. */
  readonly only?: string;
}

const CASES: readonly GoldenCase[] = [
  { name: 'before-flush', crashes: true },
  { name: 'first-moment', crashes: true, run: 'before-flush', killAtLine: 3 },
  { name: 'mixed', crashes: true },
  { name: 'shared', crashes: true, shared: true },
  { name: 'epochs', crashes: true },
  { name: 'retries', crashes: true },
  { name: 'limits', crashes: true },
  { name: 'eval-retry', crashes: true, again: ['eval-retry'], only: SEEDS },
  {
    name: 'eval-set',
    crashes: true,
    shared: true,
    again: ['eval-set', '--buffer', '2', '--shared', '1'],
    only: SEEDS,
  },
  { name: 'finished', crashes: false },
  { name: 'finished-zstd', crashes: false, run: 'finished', env: { INSPECT_USE_ZSTD: '1' }, only: '0.3.180' },
  { name: 'finished-with-errors', crashes: false },
];

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { case: { type: 'string', multiple: true } },
  });
  const newest = await newestInspect();
  const reader = await inspectEnvironment(newest);
  for (const version of positionals.length > 0 ? positionals : [...OLD_VERSIONS, newest]) {
    const environment = await inspectEnvironment(version);
    for (const golden of CASES) {
      if (values.case !== undefined && !values.case.includes(golden.name)) continue;
      if (golden.only !== undefined && golden.only !== version) continue;
      await makeCase(golden, environment, reader);
    }
  }
}

async function makeCase(golden: GoldenCase, environment: Environment, reader: Environment): Promise<void> {
  const place = await openWorkplace(WORKPLACE, environment);
  await runCase(place, golden);
  const { log, expected } = await describe(place);
  const dir = join(GOLDEN, environment.version, golden.name);
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const database = await keepDatabase(place, dir);
  const filter = (path: string) =>
    dirname(path) !== place.logDir || ['.buffer', log].includes(basename(path));
  await cp(place.logDir, join(dir, 'logs'), { recursive: true, filter });

  const finishedLog = join(place.logDir, log);
  if (!golden.crashes)
    await keepReport(await useEnvironment(place, reader), finishedLog, join(dir, 'theirs.json'));
  const tools = new Map(
    (recovers(environment) ? [environment, reader] : [reader]).map((tool) => [tool.version, tool]),
  );
  for (const tool of golden.crashes ? tools.values() : [])
    await keepTheirs(place, { log, dir, tool, reader });
  if (golden.shared) {
    await rm(database, { recursive: true, force: true });
    for (const tool of tools.values())
      await keepTheirs(place, { log, dir, tool, reader, suffix: '-filestore' });
  }
  await writeFile(join(dir, 'expected.json'), `${JSON.stringify(expected, undefined, 1)}\n`);
  await refusePrivateWords(place, dir);
  console.log(`${environment.version}/${golden.name}: ${JSON.stringify(expected.totals)}`);
}

async function runCase(place: Workplace, golden: GoldenCase): Promise<void> {
  const words = golden.again ? ['run_again.py', ...golden.again] : ['run_eval.py', golden.run ?? golden.name];
  const args = [...words, '--log-dir', place.logDir, '--ledger', place.ledger];
  if (golden.killAtLine !== undefined) args.push('--kill-at-line', String(golden.killAtLine));
  const finished = await runPython(place, args, golden.env === undefined ? {} : { env: golden.env });
  const asWanted = golden.crashes ? finished.signal === 'SIGKILL' : finished.exitCode === 0;
  if (!asWanted)
    throw new Error(`${golden.name} ended with ${finished.exitCode}: ${finished.stderr.slice(-2000)}`);
}

interface Described {
  readonly log: string;
  readonly expected: { log: string; totals: unknown; database: { file: string; pid: number } | null };
}

async function describe(place: Workplace): Promise<Described> {
  const args = [
    'describe_crash.py',
    '--ledger',
    place.ledger,
    '--log-dir',
    place.logDir,
    '--data-dir',
    place.dataDir,
  ];
  const finished = await runPython(place, args);
  if (finished.exitCode !== 0) throw new Error(finished.stderr);
  const expected: Described['expected'] = JSON.parse(finished.stdout);
  if (expected.database !== null) {
    expected.database.file = expected.database.file.replace(
      `.${expected.database.pid}.db`,
      `.${DEAD_PID}.db`,
    );
    expected.database.pid = DEAD_PID;
  }
  return { log: expected.log, expected };
}

/** Gives the database a process id that is never alive, and keeps a packed copy of it with its WAL. */
async function keepDatabase(place: Workplace, dir: string): Promise<string> {
  const buffers = join(place.dataDir, 'inspect_ai/samplebuffer');
  const [folder] = await readdir(buffers).catch(() => []); // a finished run leaves none
  if (folder === undefined) return buffers;
  await mkdir(join(dir, 'database'));
  for (const name of await readdir(join(buffers, folder))) {
    const dead = name.replace(/\.\d+\.db/, `.${DEAD_PID}.db`);
    await rename(join(buffers, folder, name), join(buffers, folder, dead));
    if (dead.endsWith('-shm')) continue; // an index of the WAL that SQLite makes anew
    const bytes = await readFile(join(buffers, folder, dead));
    await writeFile(join(dir, 'database', `${dead}.br`), pack(bytes));
  }
  return buffers;
}

function pack(bytes: Uint8Array): Uint8Array {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
  });
}

function recovers(environment: Environment): boolean {
  return Number(environment.version.split('.')[2]) >= RECOVER_SINCE;
}

interface Theirs {
  readonly log: string;
  readonly dir: string;
  readonly tool: Environment;
  /** The newest Inspect, which reports on the output; what it recovered itself is kept whole. */
  readonly reader: Environment;
  readonly suffix?: string;
}

/** What Inspect's own tool makes of the crash. */
async function keepTheirs(
  crashed: Workplace,
  { log, dir, tool, reader, suffix = '' }: Theirs,
): Promise<void> {
  const output = join(crashed.logDir, 'theirs.eval');
  const place = await useEnvironment(crashed, tool);
  const recover = [
    '-m',
    'inspect_ai',
    'log',
    'recover',
    join(place.logDir, log),
    '--output',
    output,
    '--no-cleanup',
  ];
  const finished = await runPython(place, recover);
  const name = join(dir, 'theirs', `${tool.version}${suffix}`);
  await mkdir(dirname(name), { recursive: true });
  if (finished.exitCode !== 0) {
    const said = (finished.stdout + finished.stderr).trim().split('\n').slice(-4);
    await writeFile(`${name}.json`, `${JSON.stringify({ refused: said }, undefined, 1)}\n`);
    return;
  }
  await keepReport(await useEnvironment(place, reader), output, `${name}.json`);
  if (tool.version === reader.version) await cp(output, `${name}.eval`);
  await rm(output);
}

async function keepReport(reader: Workplace, log: string, to: string): Promise<void> {
  const finished = await runPython(reader, ['check_log.py', log]);
  if (finished.exitCode !== 0) throw new Error(finished.stderr);
  await writeFile(to, `${JSON.stringify(withoutRepetition(JSON.parse(finished.stdout)), undefined, 1)}\n`);
}

/** `each` and `header` only repeat `whole`; `problems` says where they do not. */
function withoutRepetition({ each: _each, header: _header, ...report }: Record<string, unknown>): unknown {
  return report;
}

async function refusePrivateWords(place: Workplace, dir: string): Promise<void> {
  const { username, homedir } = userInfo();
  const words = [dirname(ROOT), homedir, `@${hostname()}`, `/${username}/`].filter((word) => word.length > 2);
  const packed = await readdir(join(place.dataDir, 'inspect_ai/samplebuffer')).catch(() => []); // none when finished
  const folders = [dir, ...packed.map((name) => join(place.dataDir, 'inspect_ai/samplebuffer', name))];
  for (const folder of folders) {
    const finished = await runPython(place, ['scan_private.py', folder, ...words]);
    if (finished.exitCode !== 0)
      throw new Error(`${basename(dir)} holds words of this machine:\n${finished.stdout}${finished.stderr}`);
  }
}
