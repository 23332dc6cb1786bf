import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemClock, toJson } from '../../base/index.ts';
import { isBucketUrl, openBucket } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { quoteWord } from '../../process/index.ts';
import { listRecoverable, type Recoverable } from '../../recover/index.ts';
import type { RecoverFlags } from '../commands/recover.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { isElsewhere } from '../logs/local-copy.ts';
import { checkLogDir, directoryOf } from '../logs/log-place.ts';
import { shortPath } from '../short-path.ts';
import { type Column, oneLine, renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { inspectDataDirs, runPlaces } from './recover-places.ts';

const LOG_DIR = 'logs';

/** `holdfast recover --list`: everything in a directory or bucket that did not finish. Changes nothing. */
export async function listCommand(
  given: string | undefined,
  flags: RecoverFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const { cwd } = terminal;
  const named = given ?? flags.logDir ?? LOG_DIR;
  const dir = isElsewhere(named) ? named : directoryOf(named, cwd);
  // A machine that is lost has no directory any more: then there is the bucket to look at.
  if (flags.segments === undefined) await checkLogDir(named, cwd, 'holdfast recover --list');
  // A bucket that is a directory may be named by its path: then segments are where a log directory has its journals.
  const places = await runPlaces({ segments: named, ...flags, logDir: named }, { cwd });
  const found = await listRecoverable({
    disk: nodeDisk,
    clock: systemClock,
    dataDirs: inspectDataDirs(terminal),
    scratchDir: tmpdir(),
    ...(isElsewhere(named) ? { dir: '', bucket: await openBucket(named, { disk: nodeDisk }) } : { dir }),
    places,
  });
  const next = nextCommand(found, { ...flags, logDir: named }, terminal.cwd);
  if (flags.json) terminal.json({ dir, recoverable: toJson(found), next: toJson(next) });
  else for (const line of listLines(found, next, terminal)) terminal.line(line);
  return found.some(({ problems }) => problems.length > 0) ? EXIT.damage : EXIT.ok;
}

const COLUMNS: readonly Column[] = [
  { title: 'task' },
  { title: 'expected', align: 'right' },
  { title: 'flushed', align: 'right' },
  { title: 'completed', align: 'right' },
  { title: 'in flight', align: 'right' },
  { title: 'from' },
  { title: 'writer' },
  { title: 'path' },
];

function listLines(found: readonly Recoverable[], next: readonly Step[], terminal: Terminal): string[] {
  const { style, cwd } = terminal;
  if (found.length === 0) return ['Nothing here needs to be recovered.'];
  const rows = found.map((row) => [
    oneLine(row.task) || '?',
    row.expected === undefined ? '?' : String(row.expected),
    String(row.flushed),
    String(row.completed),
    String(row.inFlight),
    sourcesText(row),
    row.liveness === 'dead' ? row.liveness : style.warn(row.liveness),
    shortPath(row.place, cwd),
  ]);
  // The path is what is copied into the next command: it is never cut.
  const lines = [renderTable(COLUMNS, rows, { width: Number.MAX_SAFE_INTEGER, title: style.dim })];
  const problems = new Set(found.flatMap((row) => row.problems.map(({ message }) => message)));
  if (problems.size > 0)
    lines.push('', style.bad('Damaged:'), ...Array.from(problems, (message) => `  ${message}`));
  for (const { what, command } of next) lines.push('', `${what}: ${style.bold(command)}`);
  return lines;
}

interface Step {
  readonly what: string;
  readonly command: string;
}

/** The command for the first that can be recovered, as a pattern for the others. A run of ours goes by its id. */
function nextCommand(
  found: readonly Recoverable[],
  flags: { readonly logDir: string; readonly segments?: string },
  cwd: string,
): Step[] {
  const hopeful = found.filter(({ isHopeless }) => !isHopeless);
  const row =
    hopeful.find(({ liveness }) => liveness === 'dead') ??
    hopeful.find(({ liveness }) => liveness === 'unknown');
  if (!row) return [];
  const words = [row.kind === 'inspect' ? shortPath(row.place, cwd) : row.log];
  // Segments that lie in the log directory itself make it a bucket, which is said by a URL.
  const isBucket =
    row.sources[0] === 'segments' && flags.segments === undefined && !isBucketUrl(flags.logDir);
  if (isBucket) words.push('--log-dir', pathToFileURL(resolve(cwd, flags.logDir)).href);
  else if (row.kind === 'holdfast' && flags.logDir !== LOG_DIR) words.push('--log-dir', flags.logDir);
  if (row.kind === 'holdfast' && flags.segments !== undefined) words.push('--segments', flags.segments);
  if (row.liveness === 'unknown') words.push('--force-dead');
  const what = row.liveness === 'unknown' ? 'To recover one, if you know that it is dead' : 'To recover one';
  return [{ what, command: ['holdfast recover', ...words.map(quoteWord)].join(' ') }];
}

/** What there is only in the log itself is said so: there is no buffer, and nothing more to be had. */
function sourcesText({ sources }: Recoverable): string {
  const [only] = sources;
  return sources.length === 1 && (only === 'log' || only === 'torn log')
    ? `${only} only`
    : sources.join(', ');
}
