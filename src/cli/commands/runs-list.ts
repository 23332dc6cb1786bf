import { Option } from 'commander';
import { DamageError, systemRandom, toJson } from '../../base/index.ts';
import {
  lostRuns,
  type RunStatus,
  type SeenWorkers,
  type SharedPlace,
  SharedRun,
  seeWorkers,
  sharedRunIds,
  statusOf,
} from '../../cluster/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { parseCount } from '../parse-values.ts';
import { formatUsd } from '../quantities.ts';
import { damageLines } from '../shared/damage-lines.ts';
import { type BucketFlags, bucketOption } from '../shared/shared-options.ts';
import { openShared } from '../shared/shared-place.ts';
import { stateText } from '../shared/status-lines.ts';
import { UNTOLD } from '../shared/wait-exits.ts';
import type { Style } from '../style.ts';
import { renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface ListFlags extends BucketFlags {
  readonly last: number;
}

export const command = defineCommand<ListFlags>({
  summary: 'List the shared runs of a bucket, and how far each is',
  options: [bucketOption(), new Option('--last <n>', 'only the latest n').argParser(parseCount).default(20)],
  examples: [['holdfast runs list', 'the latest twenty, of the bucket of holdfast.config']],
  exits: {
    0: 'they were listed',
    2: 'no bucket is named, or it cannot be used',
    3: 'something stored of one is damaged: it is said, and the others are listed',
    ...UNTOLD,
  },
  isOfShared: true,
  async run({ flags, terminal }) {
    const place = await openShared(flags, terminal);
    const ids = await sharedRunIds(place);
    const seen = await seeWorkers(place, { random: systemRandom });
    const runs: Listed[] = [];
    for (const id of ids.slice(0, flags.last)) {
      const listed = await tryStatus(place, id, seen);
      if (listed) runs.push(listed);
    }
    for (const lost of await lostRuns(place, new Set(ids))) runs.push({ ...lost, state: 'unknown' });
    const exitCode = runs.some(isDamaged) ? EXIT.damage : EXIT.ok;
    if (flags.json) {
      terminal.json({ exitCode, total: ids.length, runs: toJson(runs) });
      return exitCode;
    }
    if (runs.length === 0) terminal.line(`There are no shared runs in ${place.bucket.url}.`);
    else terminal.line(tableOf(runs, terminal));
    for (const run of runs) for (const line of damageOf(run, terminal.noteStyle)) terminal.note(line);
    const earlier = ids.length - Math.min(ids.length, flags.last);
    if (earlier > 0) terminal.note(`${earlier} earlier ones: --last ${ids.length}`);
    return exitCode;
  },
});

/** A run, or one of which something that is stored cannot be read. */
type Listed = RunStatus | { readonly run: string; readonly state: 'unknown'; readonly problem: string };

function isDamaged(run: Listed): boolean {
  return 'problem' in run || run.damaged.length > 0;
}

function damageOf(run: Listed, style: Style): readonly string[] {
  return 'problem' in run ? [style.bad(run.problem)] : damageLines(run.run, run.damaged, style);
}

/** One that is damaged keeps nobody from the others. */
async function tryStatus(place: SharedPlace, run: string, seen: SeenWorkers): Promise<Listed | undefined> {
  try {
    const shared = await SharedRun.open(place, run);
    return shared && statusOf(shared, seen);
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    return { run, state: 'unknown', problem: error.message };
  }
}

function tableOf(runs: readonly Listed[], { style, columns: width }: Terminal): string {
  const right = (title: string) => ({ title, align: 'right' as const });
  const left = [{ title: 'run' }, { title: 'eval', shrinks: true }, { title: 'state' }];
  const columns = [...left, right('done'), right('failed'), right('spent')];
  return renderTable(
    columns,
    runs.map((run) => rowOf(run, style)),
    { width, title: style.dim },
  );
}

function rowOf(listed: Listed, style: Style): readonly string[] {
  const { run, state } = listed;
  if ('problem' in listed) return [run, style.bad('damaged'), stateText(state, style), '', '', ''];
  const { eval: name, target, samples, usd } = listed;
  const failed = samples.errored + samples.aside + samples.damaged;
  return [
    run,
    `${name} · ${target}`,
    stateText(state, style),
    `${samples.completed + samples.reused}/${samples.planned}`,
    failed > 0 ? style.bad(String(failed)) : '0',
    formatUsd(usd),
  ];
}
