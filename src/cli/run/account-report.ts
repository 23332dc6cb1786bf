import { definedOf, errnoOf, type Json, type JsonObject, toJson } from '../../base/index.ts';
import type { EvalResults } from '../../log/index.ts';
import { type Account, addMoney, type ItemOutcome, moneyOfBuilds } from '../../runner/index.ts';
import { counted, formatCount, formatScore, formatUsd } from '../quantities.ts';
import { errorJson } from '../report-error.ts';
import { shortPath } from '../short-path.ts';
import { type Column, oneLine, renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { budgetText, moneyText, unpricedSentences } from './account-money.ts';
import { artifactLines } from './artifact-lines.ts';
import { runTitle } from './progress.ts';

type Samples = Account['samples'];

const SAMPLE_COLUMNS: ReadonlyArray<readonly [title: string, key: keyof Samples]> = [
  ['kept', 'kept'],
  ['reused', 'reused'],
  ['scored', 'rescored'],
  ['replayed', 'replayed'],
  ['re-run', 'rerun'],
  ['fresh', 'fresh'],
  ['failed', 'errored'],
  ['left', 'remaining'],
  ['lost', 'lost'],
];

const SENTENCES_SHOWN_MAX = 20;
const AMOUNT_COLUMNS = ['spent', 'saved', 'wasted'] as const;

/** The account of all runs as people read it: what became of the samples, the money, the scores, the logs. */
export function accountLines(outcomes: readonly ItemOutcome[], terminal: Terminal): string[] {
  const accounts = outcomes.flatMap(({ account }) => account ?? []);
  const { style } = terminal;
  const lines: string[] = [];
  if (accounts.length > 0) {
    const [only] = accounts;
    if (only && accounts.length === 1)
      lines.push('', `${style.bold(nameOf(only))}  ${stateText(only, errorOf(only, outcomes), style)}`);
    lines.push('', samplesTable(accounts, terminal), '', amountsTable(accounts, terminal));
    const usd = addMoney(accounts.map((account) => account.usd));
    for (const sentence of unpricedSentences(usd)) lines.push(style.warn(sentence));
    for (const sentence of accounts.flatMap(lossSentences)) lines.push(style.bad(sentence));
  }
  const details = outcomes.flatMap((outcome) => detailRows(outcome, terminal, outcomes.length === 1));
  const logs = accounts.flatMap(({ log }) =>
    log === undefined ? [] : [['log', style.accent(shortPath(log, terminal.cwd))]],
  );
  // Which run a line is about goes without saying when there is one, and the name of a log says it.
  const rows = outcomes.length > 1 ? details : details.map(([what = '', , text = '']) => [what, text]);
  if (outcomes.length > 1 && rows.length > 0) lines.push('', plainTable(rows), '', plainTable(logs));
  else if (rows.length + logs.length > 0) lines.push('', plainTable([...rows, ...logs]));
  return lines;
}

/** What was paid for and is gone, or is not in the log: it is said beside the figures, never only in a note. */
function lossSentences({
  answers,
  usd,
  unwritable = [],
  unshipped = [],
  damage = [],
}: Account): readonly string[] {
  const sentences: string[] = [];
  if (answers.lost > 0)
    sentences.push(
      `${counted(answers.lost, 'answer')} that had been paid for (${formatUsd(usd.lost)}) could not be read any more: the journal was damaged.`,
    );
  sentences.push(...damage.slice(0, SENTENCES_SHOWN_MAX));
  if (damage.length > SENTENCES_SHOWN_MAX)
    sentences.push(`${damage.length - SENTENCES_SHOWN_MAX} more of these: see --json.`);
  for (const { sample, reason } of unwritable.slice(0, SENTENCES_SHOWN_MAX))
    sentences.push(`Sample ${sample} is not in the log: ${reason}`);
  for (const { log, reason } of unshipped.slice(0, SENTENCES_SHOWN_MAX))
    sentences.push(`${log} is not in the bucket: ${reason}`);
  return sentences;
}

function plainTable(rows: readonly (readonly string[])[]): string {
  return renderTable(rows[0]?.map(() => ({ title: '' })) ?? [], rows, { width: Number.POSITIVE_INFINITY });
}

function samplesTable(accounts: readonly Account[], { style, columns: width }: Terminal): string {
  const columns: Column[] = [
    { title: accounts.length > 1 ? 'samples' : '', shrinks: true },
    ...SAMPLE_COLUMNS.map(([title]) => ({ title, align: 'right' as const })),
  ];
  const cell = (key: keyof Samples, value: number) => {
    if (value === 0) return key === 'lost' ? style.good('0') : style.dim('0');
    if (key === 'lost' || key === 'errored') return style.bad(String(value));
    return key === 'remaining' ? style.warn(String(value)) : String(value);
  };
  const row = (name: string, samples: Samples) => [
    name,
    ...SAMPLE_COLUMNS.map(([, key]) => cell(key, samples[key])),
  ];
  const nameInTable = (account: Account) =>
    accounts.length > 1 ? nameOf(account) : counted(account.samples.planned, 'sample');
  const rows = accounts.map((account) => row(nameInTable(account), account.samples));
  if (accounts.length > 1) rows.push(row('total', totalSamples(accounts)));
  return renderTable(columns, rows, { width, title: style.dim });
}

function amountsTable(accounts: readonly Account[], { style, columns: width }: Terminal): string {
  const columns: Column[] = [
    { title: '', shrinks: true },
    ...AMOUNT_COLUMNS.map((title) => ({ title, align: 'right' as const })),
  ];
  const { tokens, usd, of } = totalAmounts(accounts);
  const moneyRow = (name: string, money: Account['usd']) => [
    name,
    ...AMOUNT_COLUMNS.map((key) => moneyText(money, key)),
  ];
  const rows = [
    ['tokens', ...AMOUNT_COLUMNS.map((key) => formatCount(tokens[key]))],
    ...(of ? [moneyRow('samples', of.samples), moneyRow('builds', of.builds)] : []),
    moneyRow('money', usd),
  ];
  return renderTable(columns, rows, { width, title: style.dim });
}

/** One line for each scorer, and for what fell short. */
function detailRows(
  { account, results, missed, error }: ItemOutcome,
  terminal: Terminal,
  isAlone: boolean,
): string[][] {
  if (!account) return [];
  const { style } = terminal;
  const name = nameOf(account);
  const rows: string[][] = [];
  for (const line of resultLines(results)) rows.push(['score', name, line]);
  if (account.budget) rows.push(['budget', name, budgetText(account.budget)]);
  for (const line of artifactLines(account)) rows.push(['artifacts', name, line]);
  if ((account.state !== 'done' || account.unshipped) && !isAlone)
    rows.push(['state', name, stateText(account, error, style)]);
  // The log of a run that was done already is named below.
  for (const { log, samples } of account.reusedFrom.filter(
    ({ samples }) => samples < account.samples.planned,
  )) {
    rows.push(['reused', name, `${counted(samples, 'sample')} from ${log}`]);
  }
  for (const sentence of scorerSentences(account))
    rows.push([style.bad('scorer'), name, style.bad(sentence)]);
  for (const sentence of missed) rows.push([style.bad('short'), name, style.bad(sentence)]);
  return rows;
}

/** A scorer that did not do its work is named with the whole reason. */
export function scorerSentences({ scorerTroubles = [] }: Pick<Account, 'scorerTroubles'>): string[] {
  return scorerTroubles.map(({ scorer, failed, scored, reason }) => {
    if (failed === 0) return `${scorer} scored nothing: all its samples are unscored`;
    const how = scored === 0 ? ' and scored nothing' : '';
    return `${scorer} failed on ${counted(failed, 'sample')}${how}: ${oneLine(reason ?? 'it threw')}`;
  });
}

/** `includes  accuracy 0.915  stderr 0.020` */
export function resultLines(results: EvalResults | undefined): string[] {
  return (results?.scores ?? []).map((score) => {
    const metrics = Object.values(score.metrics).map(
      ({ name, group, value }) => `${group === undefined ? '' : `${group}/`}${name} ${formatScore(value)}`,
    );
    const reducer = score.reducer === undefined ? '' : ` (${score.reducer})`;
    const unscored = score.unscored_samples ? `  ${score.unscored_samples} unscored` : '';
    // One line for each key of a score that is a record.
    const what = score.scorer === score.name ? score.name : `${score.scorer}/${score.name}`;
    return `${what}${reducer}  ${metrics.join('  ')}${unscored}`;
  });
}

const STATES: Readonly<Record<Account['state'], string>> = {
  done: 'done',
  interrupted: 'interrupted, resumable',
  budget: 'the budget is spent, resumable',
  failed: 'stopped after too many errors, resumable',
};

/** Why the journal took nothing more, which is no decision about errors of samples. */
const FAILURES: Readonly<Record<string, string>> = {
  E_DISK_FULL: 'stopped, since the disk is full; resumable',
  E_DISK_IO: 'stopped, since the disk failed; resumable',
  E_JOURNAL_VANISHED: 'stopped, since its journal is gone; resumable when that is back',
  E_WRITER_FENCED: 'stopped, since it was declared dead and another process goes on with it',
  E_REUSED_GONE: 'stopped, since logs that lent samples are gone; resumable',
};
const OTHER_FAILURE = 'stopped by an error, resumable';

function stateText({ state, unshipped }: Account, error: unknown, style: Terminal['style']): string {
  if (error !== undefined) return style.warn(FAILURES[errnoOf(error) ?? ''] ?? OTHER_FAILURE);
  if (unshipped) return style.warn(`${STATES[state]}, but not in the bucket`);
  return (state === 'done' ? style.good : style.warn)(STATES[state]);
}

function errorOf(account: Account, outcomes: readonly ItemOutcome[]): unknown {
  return outcomes.find((outcome) => outcome.account === account)?.error;
}

export function nameOf(account: Account): string {
  return runTitle(account.eval, account.target);
}

/** The same, for `--json`. */
export function accountJson(outcomes: readonly ItemOutcome[]): JsonObject {
  const accounts = outcomes.flatMap(({ account }) => account ?? []);
  return {
    runs: outcomes.map(outcomeJson),
    total: {
      samples: toJson(totalSamples(accounts)),
      ...totalJson(accounts),
    },
  };
}

function totalJson(accounts: readonly Account[]): JsonObject {
  const { tokens, usd, of } = totalAmounts(accounts);
  return { tokens: toJson(tokens), usd: toJson(usd), ...definedOf({ usdOf: of && toJson(of) }) };
}

/** Samples and builds together; apart as well, when builds cost something or were spared. */
function totalAmounts(accounts: readonly Account[]) {
  const artifacts = accounts.flatMap((account) => account.artifacts ?? []);
  const samples = addMoney(accounts.map(({ usd }) => usd));
  const builds = addMoney(artifacts.map(moneyOfBuilds));
  const tokens = sumAmounts([
    ...accounts.map((account) => account.tokens),
    ...artifacts.map(({ spentTokens, savedTokens }) => ({
      ...{ spent: spentTokens, saved: savedTokens, wasted: 0 },
    })),
  ]);
  const usd = addMoney([samples, builds]);
  return builds.spent === 0 && builds.saved === 0
    ? { tokens, usd }
    : { tokens, usd, of: { samples, builds } };
}

function outcomeJson({ item, account, results, missed, error }: ItemOutcome): Json {
  const about = { eval: item.eval.name, ...definedOf({ file: item.file }) };
  if (!account) return { ...about, error: errorJson(error) };
  return {
    ...about,
    ...(error === undefined ? {} : { error: errorJson(error) }),
    ...(toJson(account) as JsonObject),
    missed: [...missed],
    ...(results ? { results: toJson(results) } : {}),
  };
}

function totalSamples(accounts: readonly Account[]): Samples {
  const total = {
    planned: 0,
    kept: 0,
    reused: 0,
    rescored: 0,
    replayed: 0,
    rerun: 0,
    fresh: 0,
    errored: 0,
    remaining: 0,
    lost: 0,
  };
  for (const { samples } of accounts) {
    for (const key of Object.keys(total) as (keyof Samples)[]) total[key] += samples[key];
  }
  return total;
}

function sumAmounts(list: readonly Account['tokens'][]): { spent: number; saved: number; wasted: number } {
  const total = { spent: 0, saved: 0, wasted: 0 };
  for (const amounts of list) for (const key of AMOUNT_COLUMNS) total[key] += amounts[key];
  return total;
}
