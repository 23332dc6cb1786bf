import type { RunItem } from '../server/api.ts';
import {
  type CompiledQuery,
  compileQuery,
  type Field,
  type Fields,
  type MakeTest,
  momentField,
  nameField,
  numberField,
  numberTest,
  type Test,
  textField,
  textTest,
  wordField,
} from './compile-query.ts';
import type { Query } from './query.ts';
import { scoreNamed } from './run-values.ts';
import { durationMsOf, numberOf, wholeText } from './words-and-numbers.ts';

export interface RunQueryOptions {
  /** What time it is, for `since:30d`. */
  readonly nowMs: number;
}

export interface RunQuery extends CompiledQuery<RunItem> {
  /** Runs that were removed are hidden unless `is:removed` is asked for somewhere. */
  readonly asksForRemoved: boolean;
}

/** Which runs a filter leaves. */
export function compileRunQuery(text: string, { nowMs }: RunQueryOptions): RunQuery {
  const compiled = compileQuery(text, { fields: runFields(nowMs), texts: textsOf });
  const asksForRemoved = compiled.query !== undefined && mentionsRemoved(compiled.query);
  const { matches } = compiled;
  return {
    ...compiled,
    asksForRemoved,
    matches: asksForRemoved ? matches : (item) => item.removed !== true && matches(item),
  };
}

function textsOf({ run, name, facts }: RunItem): readonly (string | undefined)[] {
  return facts ? [facts.eval, facts.target, run, facts.experiment, ...facts.tags] : [run, name];
}

function mentionsRemoved(query: Query): boolean {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.of.some(mentionsRemoved);
    case 'not':
      return mentionsRemoved(query.of);
    case 'field':
      return query.field === 'is' && query.value.text.toLowerCase() === 'removed';
    case 'text':
      return false;
  }
}

/** What people call the states of a run, beside the words of its log. */
const STATUS_WORDS: Readonly<Record<string, string>> = {
  ok: 'success',
  done: 'success',
  failed: 'error',
  live: 'running',
};

const STATUSES = ['ok', 'error', 'cancelled', 'started', 'running', 'interrupted', 'unknown'];

export function runFields(nowMs: number): Fields<RunItem> {
  return {
    eval: nameField('name of the eval', ({ facts }) => facts?.eval),
    target: nameField('model or target', ({ facts }) => facts && namesOfTarget(facts.target)),
    status: nameField('how it ended', ({ facts }) => facts?.status, {
      values: STATUSES,
      means: (word) => STATUS_WORDS[word.toLowerCase()] ?? word,
    }),
    tag: nameField('a tag', ({ facts }) => facts?.tags),
    experiment: nameField('name of the experiment', ({ facts }) => facts?.experiment),
    since: momentField('began then or later', nowMs, beganAtOrAfter),
    before: momentField('began before', nowMs, (ms) => {
      const isAfter = beganAtOrAfter(ms);
      return (item) => !isAfter(item);
    }),
    score: scoreField(),
    cost: numberField('dollars', ({ facts }) => facts?.usd ?? undefined, { like: '0.5 or $12' }),
    time: numberField('how long it took', ({ facts }) => facts?.durationMs, {
      read: durationMsOf,
      like: '30s, 5m or 1h30m',
    }),
    samples: numberField('how many samples', ({ facts }) => facts?.samples.total),
    errors: numberField('how many samples errored', ({ facts }) => facts?.samples.errored, {
      shareOf: ({ facts }) => shareOf(facts?.samples.errored, facts?.samples.total),
    }),
    passed: numberField('how many samples passed', ({ facts }) => facts?.samples.passed, {
      shareOf: ({ facts }) => shareOf(facts?.samples.passed, facts?.samples.total),
    }),
    tokens: numberField('tokens', ({ facts }) => facts?.tokens?.total),
    commit: commitField(),
    branch: nameField('branch of the code', ({ facts }) => facts?.code?.branch),
    by: nameField('who ran it', ({ facts }) => facts?.by?.user),
    host: nameField('the machine', ({ facts }) => facts?.by?.host),
    run: textField('id of the run', ({ run }) => run),
    form: nameField('how it is kept', ({ form }) => form, { values: FORMS }),
    place: textField('where it is kept', ({ place, name }) => [place, name]),
    is: wordField('a state', STATES),
  };
}

/** A model is known by its own name as well, without that of its provider. */
function namesOfTarget(target: string): readonly string[] {
  const model = target.slice(target.lastIndexOf('/') + 1);
  return model === '' || model === target ? [target] : [target, model];
}

const FORMS = ['published', 'log', 'running', 'interrupted', 'unknown', 'agentv'];

const STATES: Readonly<Record<string, Test<RunItem>>> = {
  live: ({ form }) => form === 'running',
  damaged: ({ damage }) => damage !== undefined,
  removed: ({ removed }) => removed === true,
  dirty: ({ facts }) => facts?.code?.isDirty === true,
  noted: ({ notes }) => (notes ?? 0) > 0,
};

/** The first score, or the one that is named: `score.accuracy>0.5`. */
function scoreField(): Field<RunItem> {
  const test: MakeTest<RunItem> = (term) =>
    numberTest(term, {
      valueOf: (item) => scoreNamed(item, term.path)?.value ?? undefined,
      read: numberOf,
      like: '0.5 or 50%',
    });
  return { about: 'the first score, or score.name', hasPath: true, test };
}

/** A commit is known by its beginning. */
function commitField(): Field<RunItem> {
  const test: MakeTest<RunItem> = (term) =>
    textTest(term, (value) => {
      const isPattern = value.text === '' || value.text.includes('*');
      const is = wholeText(isPattern ? value : { text: `${value.text}*`, isQuoted: false }, false);
      return ({ facts }) => is(facts?.code?.commit);
    });
  return { about: 'beginning of the commit', test };
}

/** When a run began is seen from its id, also of one that cannot be read. */
function beganAtOrAfter(ms: number): Test<RunItem> {
  const at = idTime(ms);
  return ({ run }) => run >= at;
}

const LAST_MS = 253_402_300_799_999;

function idTime(ms: number): string {
  const clamped = Math.min(Math.max(Math.round(ms), 0), LAST_MS);
  return new Date(clamped).toISOString().replaceAll(/[-:.Z]/g, '');
}

function shareOf(count: number | undefined, total: number | undefined): number | undefined {
  return count === undefined || !total ? undefined : count / total;
}
