import { ActionableError } from '../base/index.ts';
import type { Git, GitAnswer } from './git.ts';
import { gitFailure } from './git-errors.ts';
import { isObjectId, type ObjectId } from './object-id.ts';

export interface ImportFile {
  readonly path: string;
  /** Bytes, or an object that is there already. */
  readonly content: Uint8Array | Sized | StoredObject | 'gone';
}

export interface StoredObject {
  readonly id: ObjectId;
  readonly kind: 'blob' | 'tree';
}

/** Bytes that come in chunks, of which one knows how many there are. */
export interface Sized {
  readonly sizeBytes: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface Author {
  readonly name: string;
  readonly email: string;
}

export interface ImportCommit {
  readonly ref: string;
  /** The commit that the ref is at; undefined when it is to be made. */
  readonly from: ObjectId | undefined;
  /** Another commit that is united with the first. */
  readonly merge?: ObjectId;
  readonly message: string;
  readonly author: Author;
  readonly seconds: number;
  readonly files: Iterable<ImportFile> | AsyncIterable<ImportFile>;
}

/** A `git fast-import` that is up and waits for what to write; left without a commit it writes nothing. */
export interface StartedImport extends AsyncDisposable {
  /**
   * The objects are written and synced as one pack, then the ref is moved, provided that it is still where it was. Undefined when
   * somebody else moved it meanwhile: nothing is lost, and the caller begins anew.
   */
  commit(commit: ImportCommit): Promise<ObjectId | undefined>;
}

const ARGS = ['fast-import', '--quiet', '--date-format=raw'];

/** To start a process takes about as long as what it then does: whoever is going to write starts it before knowing what. */
export function startImport(git: Git): StartedImport {
  const given = Promise.withResolvers<ImportCommit | undefined>();
  const answer = git.run(ARGS, { stdin: inPieces(streamOf(given.promise)), expects: [1, 128] });
  // Told to whoever commits.
  answer.catch(() => undefined);
  return {
    async commit(commit) {
      given.resolve(commit);
      return committed(git, await answer);
    },
    async [Symbol.asyncDispose]() {
      given.resolve(undefined);
      await answer.catch(() => undefined);
    },
  };
}

/** One commit by one `git fast-import`. */
export async function importCommit(git: Git, commit: ImportCommit): Promise<ObjectId | undefined> {
  await using started = startImport(git);
  return await started.commit(commit);
}

async function committed(git: Git, { exitCode, stdout, stderr }: GitAnswer): Promise<ObjectId | undefined> {
  const made = stdout.toString('utf8').trim();
  if (exitCode === 0 && isObjectId(made)) return made;
  if (isObjectId(made) && MOVED.test(stderr)) return undefined;
  if (TWIN.test(stderr)) {
    await git.removeCrashReport(stderr);
    return undefined;
  }
  const failure = gitFailure({ exitCode, stderr, args: ARGS, dir: git.dir });
  // What is understood needs no report.
  if (failure.code !== 'E_GIT') await git.removeCrashReport(stderr);
  throw failure;
}

/** The ref does not lead to our parent any more, or another process was moving it at this very moment. */
const MOVED = /Not updating|cannot lock ref|Unable to create .*\.lock|failed to update ref/;

/** Another process writes the very same objects at this very moment: the same commit, or what it is made of. */
const TWIN = /cannot create keep file: File exists|cannot store keep file/;

async function* streamOf(given: Promise<ImportCommit | undefined>): AsyncGenerator<Uint8Array> {
  const commit = await given;
  if (!commit) return;
  // From here on a stream that ends early is no commit. Said only now: whoever is killed before leaves nothing, not even a report of git's.
  yield text('feature done\n');
  yield* encode(commit);
  yield text('done\n');
}

const PIECE_BYTES = 64 * 1024;

/** Every write to a pipe costs a turn of the event loop, so what is small goes together. */
async function* inPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes < PIECE_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    heldBytes = 0;
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}

async function* encode(commit: ImportCommit): AsyncGenerator<Uint8Array> {
  const { ref, from, author, seconds } = commit;
  const who = `${clean(author.name)} <${clean(author.email)}> ${seconds} +0000`;
  const message = Buffer.from(commit.message, 'utf8');
  yield text(`commit ${ref}\nmark :1\nauthor ${who}\ncommitter ${who}\ndata ${message.length}\n`);
  yield message;
  yield text(from === undefined ? '\n' : `\nfrom ${from}\n`);
  if (commit.merge !== undefined) yield text(`merge ${commit.merge}\n`);
  for await (const { path, content } of commit.files) {
    checkPath(path);
    if (content === 'gone') yield text(`D ${quoted(path)}\n`);
    else if ('id' in content) yield text(`M ${MODES[content.kind]} ${content.id} ${quoted(path)}\n`);
    else {
      const isWhole = content instanceof Uint8Array;
      yield text(`M 100644 inline ${quoted(path)}\ndata ${isWhole ? content.length : content.sizeBytes}\n`);
      if (isWhole) yield content;
      else yield* content.chunks;
      yield text('\n');
    }
  }
  yield text('\nget-mark :1\n');
}

const MODES = { blob: '100644', tree: '040000' } as const;

/** Git takes no angle brackets or line breaks in a name. */
function clean(name: string): string {
  return name.replace(/[<>\n\0]/g, '').trim() || 'unknown';
}

function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"`;
}

function checkPath(path: string): void {
  const isFine = path
    .split('/')
    .every((step) => step !== '' && step !== '.' && step !== '..' && !/^\.git$/i.test(step));
  if (isFine && !path.includes('\0')) return;
  throw new ActionableError({
    code: 'E_GIT',
    message: `${JSON.stringify(path)} cannot be a path in git.`,
    hint: 'This is a fault of Holdfast: please report it.',
  });
}

function text(line: string): Uint8Array {
  return Buffer.from(line, 'utf8');
}
