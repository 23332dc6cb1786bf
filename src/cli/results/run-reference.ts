import { ActionableError, UsageError } from '../../base/index.ts';
import { isBucketUrl } from '../../bucket/index.ts';
import { isLogName, type LogReader } from '../../log/index.ts';
import type { ResultsStore, RunRow } from '../../results/index.ts';
import { openNamedLog } from '../logs/log-place.ts';
import { findInSources } from '../logs/named-log.ts';
import type { Terminal } from '../terminal.ts';
import { resultsOf } from './results-place.ts';
import type { SourcesFlags } from './run-sources.ts';

/** A run that was named on the command line, opened. */
export interface NamedRun {
  /** As it was named. */
  readonly name: string;
  readonly log: LogReader;
  /** Of a published run. */
  readonly row?: RunRow;
}

export interface ReferenceFlags extends SourcesFlags {
  /** Which eval `@last`, `@prev`, `@main` and tags are of. */
  readonly eval?: string;
}

const MAIN_BRANCHES: ReadonlySet<string> = new Set(['main', 'master']);
const PAGE = 64;

/**
 * Opens the runs that words on the command line name: a log by its path or URL; a published run by its id or as much of it as tells
 * it from all others, and so is a run of a source that was named; `tag:<name>`, or a plain tag where no id fits, for the newest run with it; and of one eval `@last` for the newest
 * published run, `@prev` for the one before it, `@main` for the newest from the main branch that is none of the others named.
 *
 * The eval is the one of the flag, else that of the first run that is named outright, else that of the newest run.
 */
export class RunReferences implements AsyncDisposable {
  readonly #flags: ReferenceFlags;
  readonly #terminal: Terminal;
  readonly #opened: LogReader[] = [];
  readonly #sources: AsyncDisposable[] = [];
  #store: Promise<ResultsStore> | undefined;

  constructor(flags: ReferenceFlags, terminal: Terminal) {
    this.#flags = flags;
    this.#terminal = terminal;
  }

  async open(names: readonly string[]): Promise<readonly NamedRun[]> {
    const runs: (NamedRun | undefined)[] = [];
    for (const name of names) runs.push(isRelative(name) ? undefined : await this.#openOutright(name));
    const outright = runs.find((run) => run !== undefined);
    const ofEval = this.#flags.eval ?? (outright && (await outright.log.header()).eval.task);
    // Those that stand for what is left over come last.
    for (const kind of ['@last', '@prev', '@main'])
      for (const [index, name] of names.entries())
        if (name === kind) runs[index] = await this.#openRelative(name, { ofEval, others: runs });
    return runs.flatMap((run) => run ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const log of this.#opened) await log.close();
    for (const source of this.#sources) await source[Symbol.asyncDispose]();
    await (await this.#store?.catch(() => undefined))?.[Symbol.asyncDispose](); // Whoever asked was told.
  }

  async #openOutright(name: string): Promise<NamedRun> {
    if (name.startsWith('@')) throw unknownWord(name);
    const there = await findInSources(name, this.#flags, this.#terminal);
    if (there) {
      this.#sources.push(there);
      return { name, log: there.log };
    }
    if (name.startsWith('tag:')) return this.#openTagged(name, name.slice('tag:'.length));
    return isPlace(name) ? this.#openLog(name) : this.#openPublished(name);
  }

  async #openLog(name: string): Promise<NamedRun> {
    return { name, log: this.#keep(await openNamedLog(name, this.#terminal.cwd)) };
  }

  async #openPublished(name: string): Promise<NamedRun> {
    try {
      return await this.#openId(name, name);
    } catch (error) {
      if (!(error instanceof ActionableError && NO_ID.has(error.code))) throw error;
      return await this.#openTagged(name, name);
    }
  }

  async #openId(name: string, id: string): Promise<NamedRun> {
    const store = await this.#results();
    const found = await store.find(id);
    return { name, log: this.#keep(await store.open(found)), row: found.revision.row };
  }

  async #openTagged(name: string, tag: string): Promise<NamedRun> {
    const found = await this.#newest(({ tags }) => tags.includes(tag), this.#flags.eval);
    if (!found) throw nothingNamed(name, tag);
    return this.#openId(name, found.run);
  }

  async #openRelative(name: string, { ofEval, others }: RelativeTo): Promise<NamedRun> {
    const newest = await this.#newest(() => true, ofEval);
    if (!newest) throw noneOf(name, ofEval);
    const taken = new Set<string>();
    for (const run of others) if (run) taken.add((await run.log.header()).eval.run_id);
    const rule: Readonly<Record<string, (row: RunRow) => boolean>> = {
      '@last': () => true,
      '@prev': ({ run }) => run < newest.run,
      '@main': ({ run, code }) => MAIN_BRANCHES.has(code?.branch ?? '') && !taken.has(run),
    };
    const found = await this.#newest(rule[name] ?? (() => false), ofEval ?? newest.eval);
    if (!found) throw noneOf(name, ofEval ?? newest.eval);
    return this.#openId(name, found.run);
  }

  /** The newest whole row that fits. Rows are read page by page, and no further than to the first that does. */
  async #newest(fits: (row: RunRow) => boolean, ofEval: string | undefined): Promise<RunRow | undefined> {
    const store = await this.#results();
    let cursor: string | undefined;
    do {
      const page = await store.list({
        limit: PAGE,
        ...(ofEval !== undefined && { eval: ofEval }),
        ...(cursor !== undefined && { cursor }),
      });
      for (const { row } of page.runs) if (row && fits(row)) return row;
      cursor = page.cursor;
    } while (cursor !== undefined);
    return undefined;
  }

  #results(): Promise<ResultsStore> {
    this.#store ??= resultsOf(this.#flags, this.#terminal);
    return this.#store;
  }

  #keep(log: LogReader): LogReader {
    this.#opened.push(log);
    return log;
  }
}

interface RelativeTo {
  readonly ofEval: string | undefined;
  readonly others: readonly (NamedRun | undefined)[];
}

const RELATIVE: ReadonlySet<string> = new Set(['@last', '@prev', '@main']);
/** What `find` says of words that are no id: they may be a tag. */
const NO_ID: ReadonlySet<string> = new Set(['E_RUN_ID', 'E_RUN_UNKNOWN']);

function isRelative(name: string): boolean {
  return RELATIVE.has(name);
}

function isPlace(name: string): boolean {
  return isBucketUrl(name) || isLogName(name) || /[/\\]/.test(name) || name.endsWith('.json');
}

const WORDS = 'a log, the id of a published run or its beginning, a tag (tag:<name>), @last, @prev or @main';

function unknownWord(name: string): UsageError {
  return new UsageError({
    code: 'E_RUN_REFERENCE',
    message: `${name} names no run.`,
    hint: `Name ${WORDS}.`,
  });
}

function nothingNamed(name: string, tag: string): UsageError {
  return new UsageError({
    code: 'E_RUN_REFERENCE',
    message:
      name === tag
        ? `No published run has the id or the tag ${tag}.`
        : `No published run has the tag ${tag}.`,
    hint: `Name ${WORDS}; "holdfast results list" shows what is published.`,
  });
}

function noneOf(name: string, ofEval: string | undefined): UsageError {
  const of = ofEval === undefined ? '' : ` of ${ofEval}`;
  const what = {
    '@last': `No run${of} is published.`,
    '@prev': `Fewer than two runs${of} are published.`,
    '@main': `No other run${of} was published from the branch main or master.`,
  }[name];
  return new UsageError({
    code: 'E_RUN_REFERENCE',
    message: what ?? `${name} names no run.`,
    hint: `Publish one with "holdfast results publish <log>", or name ${WORDS}.`,
  });
}
