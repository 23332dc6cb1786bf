import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../base/index.ts';
import { type Bucket, isBucketUrl, openBucket } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { StateDir } from '../../journal/index.ts';
import { type Places, placesOf } from '../../runner/index.ts';
import type { Terminal } from '../terminal.ts';
import { userDataDirs } from '../user-data-dirs.ts';

const LOG_DIR = 'logs';

/** What was named on the command line, as the library takes it. */
export interface NamedLog {
  readonly log: string;
  /** For what is not on this machine: then `log` is its key. */
  readonly bucket?: Bucket;
}

/** A directory that has a URL is one on this machine; other buckets are opened, and the rest is a key. A `.buffer` folder stands for its log. */
export async function namedLog(given: string): Promise<NamedLog> {
  if (!isBucketUrl(given)) return { log: given };
  if (isFileUrl(given)) return { log: fileURLToPath(given) };
  const [, around, buffered] = /^(.*)\/\.buffer\/([^/]+)\/?$/.exec(given) ?? [];
  const slash = given.lastIndexOf('/');
  const bucket = await openBucket(around ?? given.slice(0, slash), { disk: nodeDisk });
  return { log: buffered === undefined ? given.slice(slash + 1) : `${buffered}.eval`, bucket };
}

/** Where to write: a path, or a name beside a log that is in a bucket. */
export function namedOutput(output: string, { bucket }: NamedLog, cwd: string): string {
  if (!bucket) return isFileUrl(output) ? fileURLToPath(output) : resolve(cwd, output);
  const folder = `${bucket.url.replace(/\/$/, '')}/`;
  if (output.startsWith(folder)) return output.slice(folder.length);
  throw new UsageError({
    code: 'E_RECOVER_OPTIONS',
    message: `A log in ${folder} is recovered in that bucket, and ${output} is not in it.`,
    hint: `Name it as ${folder}<name>.eval, or leave --output out.`,
  });
}

/** Where the runs of Holdfast are: where a named journal lies, unless that is where the log directory has its own. */
export async function runPlaces(
  flags: { readonly logDir?: string; readonly segments?: string },
  { given, cwd }: { readonly given?: string; readonly cwd: string },
): Promise<Places> {
  const { logDir = LOG_DIR, segments } = flags;
  const places = await placesOf(nodeDisk, { logDir, workDir: cwd, segments });
  const beside = given === undefined ? undefined : logDirOfJournal(given, cwd);
  if (beside === undefined || StateDir.of(beside).path === places.state.path) return places;
  return placesOf(nodeDisk, { logDir: beside, workDir: cwd, segments });
}

/** The system's directories in which Inspect keeps its buffer databases. */
export function inspectDataDirs(terminal: Terminal): readonly string[] {
  return userDataDirs(terminal);
}

/** `<log dir>/.holdfast/<run>`, or what lies in it; undefined for any other path. */
function logDirOfJournal(given: string, cwd: string): string | undefined {
  for (let dir = resolve(cwd, given), depth = 0; depth < 3; dir = dirname(dir), depth++) {
    const state = StateDir.around(dir);
    if (state) return dirname(state.path);
  }
  return undefined;
}

function isFileUrl(text: string): boolean {
  return /^file:/i.test(text);
}
