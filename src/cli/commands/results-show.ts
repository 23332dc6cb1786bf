import { counted, definedOf, formatUsd, toJson } from '../../base/index.ts';
import type { FoundResult } from '../../results/index.ts';
import { findInAll, type RunInForms, type SourceRow } from '../../sources/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { formatBytes, formatCount, formatDuration, formatScore, formatTime } from '../quantities.ts';
import { type OpenedSources, openSources, type SourceFlags, sourceOptions } from '../results/run-sources.ts';
import { renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<SourceFlags>({
  summary: 'Show a run: published, in a log, or under way',
  arguments: [
    ['<run>', 'the id of a run, the beginning of it or of its part after the dash, or the name of its log'],
  ],
  options: sourceOptions(),
  examples: [
    ['holdfast results show KvkpiQSMQs', 'what became of a run, and which commit published it'],
    [
      'holdfast results show KvkpiQSMQs --source ../inspect-logs',
      'the same for a run that is kept elsewhere',
    ],
  ],
  exits: {
    0: 'shown',
    1: 'git failed',
    2: 'there is no such run, or there are several',
    3: 'it is damaged',
  },
  async run({ args, flags, terminal, isGiven }) {
    await using opened = await openSources({ flags, terminal, isGiven });
    const { shown: _, row, ...kept } = await findInAll(opened.sources, String(args[0]));
    const published = await publishedAs(kept, opened);
    if (flags.json) terminal.json(toJson(definedOf({ ...row, ...kept, ...published })));
    else for (const line of report(kept, row, published, terminal)) terminal.line(line);
    return kept.damage === undefined ? EXIT.ok : EXIT.damage;
  },
});

type Kept = Omit<RunInForms, 'row'>;

interface PublishedAs {
  readonly path: string;
  readonly revisions: number;
  readonly commit: string | undefined;
  readonly marks: FoundResult['marks'];
}

async function publishedAs(
  { run, forms }: Kept,
  { results }: OpenedSources,
): Promise<PublishedAs | undefined> {
  if (!results || !forms.includes('published')) return undefined;
  const { revision, revisions, marks } = await results.store.find(run);
  return { path: revision.path, revisions, commit: await results.store.commitOf(revision), marks };
}

function report(
  kept: Kept,
  row: SourceRow | undefined,
  published: PublishedAs | undefined,
  terminal: Terminal,
): string[] {
  const { style } = terminal;
  const title = row
    ? `${style.bold(row.eval)} ${style.dim('·')} ${row.target} ${style.dim('·')} ${row.run}`
    : kept.run;
  const { commit } = published ?? {};
  const rows: [string, string][] = [
    ...(row ? rowLines(row, published, terminal) : []),
    ...(kept.damage === undefined ? [] : [['damage', style.bad(kept.damage)] as [string, string]]),
    ...(published ? saidLines(published, terminal) : []),
    ...keptLines(kept, published),
    ...(commit === undefined ? [] : [['published', `by commit ${commit}`] as [string, string]]),
  ];
  return [title, renderTable([{ title: '' }, { title: '' }], rows, { width: 1_000 })];
}

function saidLines({ marks }: PublishedAs, { style }: Terminal): readonly [string, string][] {
  return [
    ...marks.removals.map((one): [string, string] => [
      'removed',
      style.warn(`by ${one.by.name}${one.reason === undefined ? '' : `: ${one.reason}`}`),
    ]),
    ...marks.verdicts.map((one): [string, string] => ['verdict', saidText(one, one.verdict, one.text)]),
    ...marks.notes.map((one): [string, string] => ['note', saidText(one, one.text)]),
    ...marks.collections.map((one): [string, string] => [
      'dropped',
      `${one.bodies} ${one.bodies === 1 ? 'body' : 'bodies'} (${formatBytes(one.sizeBytes)}) from the bucket, by ${one.by.name} on ${formatTime(one.time)}`,
    ]),
    ...marks.damage.map((one): [string, string] => ['damage', style.bad(one)]),
  ];
}

type Said = Pick<FoundResult['marks']['verdicts'][number], 'by'> & {
  readonly anchor?: FoundResult['marks']['notes'][number]['anchor'];
};

/** `Ada, sample 12 of epoch 2, event x: fail: it guessed` */
function saidText({ by, anchor }: Said, ...said: readonly (string | undefined)[]): string {
  const epoch = anchor && anchor.epoch !== 1 ? ` of epoch ${anchor.epoch}` : '';
  const event = anchor?.event === undefined ? '' : `, event ${anchor.event}`;
  const about = anchor ? `, sample ${anchor.sample}${epoch}${event}` : '';
  return [`${by.name}${about}`, ...said.filter((one) => one !== undefined)].join(': ');
}

/** Where the documents of samples are, when not all of them are in git. */
function bodiesText(bodies: NonNullable<SourceRow['log']>['bodies']): string | undefined {
  if (!bodies) return undefined;
  const what = `${counted(bodies.count, 'document')} of samples (${formatBytes(bodies.sizeBytes)})`;
  return bodies.kept === 'nowhere' ? `${what} left out: only the summary is kept` : `${what} in the bucket`;
}

function rowLines(
  row: SourceRow,
  published: PublishedAs | undefined,
  { style }: Terminal,
): readonly [string, string][] {
  const { samples, code, log, by } = row;
  const passed = samples.passed === undefined ? '' : `, ${samples.passed} passed`;
  const errored = samples.errored === 0 ? '' : `, ${samples.errored} with errors`;
  const revisions = published?.revisions ?? 1;
  const line = (title: string, text: string | undefined): [string, string][] =>
    text === undefined ? [] : [[title, text]];
  return [
    ['status', row.status === 'success' ? style.good(row.status) : style.warn(row.status)],
    ['began', formatTime(row.start)],
    ['took', formatDuration(row.durationMs)],
    ['samples', `${samples.completed} of ${samples.total} completed${passed}${errored}`],
    ...row.scores.map((score): [string, string] => ['score', scoreText(score)]),
    ...line('tokens', row.tokens && formatCount(row.tokens.total)),
    ['cost', row.usd === null ? 'unknown' : formatUsd(row.usd)],
    ...line('experiment', row.experiment),
    ...line('tags', row.tags.length > 0 ? row.tags.join(', ') : undefined),
    ...line('code', code && `${code.commit}${code.isDirty ? ' with changes' : ''}`),
    ...line('by', by && `${by.user} on ${by.host}`),
    ...line('log', log && `${log.name} (${formatBytes(log.sizeBytes)})`),
    ...line('bodies', bodiesText(log?.bodies)),
    ...line('revision', revisions > 1 ? `${row.revision ?? 1} of ${revisions}` : undefined),
  ];
}

/** Where it is, in every form; of the results the path in the tree says more than the repository. */
function keptLines({ forms, place, name, also = [], logIs }: Kept, published: PublishedAs | undefined) {
  const note =
    logIs === undefined
      ? ''
      : ` (the log is ${logIs} than what is published)`.replace('different than', 'another one than');
  const placeOf = (at: { readonly place: string; readonly name: string }, form: string) =>
    form === 'published' && published ? published.path : `${at.place}/${at.name}`;
  const [form = 'log', ...rest] = forms;
  const lines: [string, string][] = [['place', `${form}: ${placeOf({ place, name }, form)}${note}`]];
  if (rest.length === 0 && also.length === 0) return lines;
  for (const one of also) {
    const damage = one.damage === undefined ? '' : ` (${one.damage})`;
    lines.push(['', `${one.form}: ${placeOf(one, one.form)}${damage}`]);
  }
  return lines;
}

function scoreText({ name, metric, value, low, high }: SourceRow['scores'][number]): string {
  const around =
    low === undefined || high === undefined ? '' : ` (95 %: ${formatScore(low)} to ${formatScore(high)})`;
  return `${name}  ${metric} ${value === null ? 'none' : formatScore(value)}${around}`;
}
