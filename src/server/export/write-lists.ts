import { questionOf } from '../../views/index.ts';
import type { DocumentPlace, RunChange, RunItem, SampleId, WrittenRows } from '../api.ts';
import type { Asking, WrittenRoute } from './asking.ts';
import { SCORES_MAX, writeRows } from './write-run.ts';

const ASKED_ROWS = 1_000;
const ASKED_CHANGES = 200;
const MATRIX_RUNS_MAX = 50;
/** Histories of single samples are written as long as there are not more of them than that. */
const HISTORIES_MAX = 2_000;
/** Everything, also what was removed and is exported because somebody named it. */
const ALL = 'is:removed or -is:removed';

type Answers = readonly (readonly [string, DocumentPlace])[];

/** The list of runs: what the first page shows. */
export async function writeRunList(
  asking: Asking,
): Promise<{ readonly rows: WrittenRows; readonly items: readonly RunItem[] }> {
  const items: RunItem[] = [];
  for (let offset = 0, total = 1; offset < total; offset += ASKED_ROWS) {
    const page = await asking.ask('runs', {}, { q: ALL, offset, limit: ASKED_ROWS });
    total = page.total;
    items.push(...page.runs);
  }
  const page = await asking.writeAnswer(await asking.ask('runs', {}, { limit: 0 }));
  return { rows: { page, rows: await writeRows(asking, items) }, items };
}

/** What may stand in filters, which changes were real, and all evals. */
export async function writeCommon(asking: Asking, items: readonly RunItem[]): Promise<Answers> {
  const changes: RunChange[] = [];
  for (let from = 0; from < items.length; from += ASKED_CHANGES) {
    const runs = items.slice(from, from + ASKED_CHANGES).map(({ run }) => run);
    changes.push(...(await asking.ask('runChanges', {}, { runs })).changes);
  }
  return [
    [questionOf('runWords', [], {}), await asking.writeAnswer(await asking.ask('runWords', {}, {}))],
    [questionOf('evals', [], {}), await asking.writeAnswer(await asking.ask('evals', {}, {}))],
    [questionOf('runChanges', [], {}), await asking.writeAnswer({ changes })],
  ];
}

export interface EvalToWrite {
  readonly name: string;
  /** Newest first. */
  readonly runs: readonly string[];
  readonly scores: readonly string[];
  readonly ids: readonly SampleId[];
}

/** Histories of evals, their matrices, and what became of single samples. */
export async function writeEvals(asking: Asking, evals: readonly EvalToWrite[]): Promise<Answers> {
  const writing = new EvalsWriting(asking);
  const histories = evals.reduce((sum, { ids }) => sum + ids.length, 0);
  for (const one of evals) {
    await writing.write(one);
    if (histories <= HISTORIES_MAX) await writing.writeHistories(one);
  }
  return writing.answers;
}

class EvalsWriting {
  readonly answers: [string, DocumentPlace][] = [];
  readonly #asking: Asking;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  async write({ name, runs, scores }: EvalToWrite): Promise<void> {
    const history = await this.#asking.tryAsk('eval', { eval: name }, {});
    const metrics = 'error' in history ? [] : history.answer.metrics.slice(0, SCORES_MAX);
    for (const score of [undefined, ...metrics]) await this.#add('eval', { eval: name }, { score }, [name]);
    const newest = runs.slice(0, MATRIX_RUNS_MAX).toReversed();
    for (const score of [undefined, ...scores.slice(0, SCORES_MAX)])
      await this.#add('matrix', {}, { runs: newest, score }, [name]);
  }

  async writeHistories({ name, ids, scores }: EvalToWrite): Promise<void> {
    for (const id of ids)
      for (const score of [undefined, ...scores.slice(0, SCORES_MAX)])
        await this.#add('sampleOverTime', { eval: name, sample: String(id) }, { score }, [name, String(id)]);
  }

  /** Under its score alone: of how many runs it tells is decided here. */
  async #add(
    route: WrittenRoute,
    params: Readonly<Record<string, string>>,
    query: { readonly score?: string | undefined; readonly runs?: readonly string[] },
    of: readonly string[],
  ): Promise<void> {
    const asked = await this.#asking.tryAsk(route, params, query);
    const place =
      'error' in asked
        ? await this.#asking.writeError(asked.error)
        : await this.#asking.writeAnswer(asked.answer);
    this.answers.push([questionOf(route, of, { score: query.score }), place]);
  }
}
