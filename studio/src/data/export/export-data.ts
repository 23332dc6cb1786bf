import type { AnswerOf, QueryOf, RouteName, RunChange, Saying } from '../../../../src/server/api.ts';
import { ROUTES } from '../../../../src/server/api.ts';
import type { Asked, AskRoute, LinesRoute, LiveListener, ParamsOf, StudioData } from '../studio-data.ts';
import { comparedPage, compareView, matrixPage } from './comparisons.ts';
import type { Chunks } from './documents.ts';
import { leftOut, notHere, readOnly } from './export-problems.ts';
import { findLines } from './find.ts';
import { queryOf, runsPage, sampleOrder, samplesPage } from './lists.ts';
import { neverExported } from './never-exported.ts';
import { ScriptChunks } from './script-chunks.ts';
import { searchLines } from './search.ts';
import { eventOf, eventPlaceOf, eventsOf, messagesOf, skeletonOf, textOf } from './transcripts.ts';
import { type AskedRun, Written } from './written.ts';

interface Call<Name extends RouteName> {
  readonly params: ParamsOf<Name>;
  readonly query: QueryOf<Name>;
}

type Answerers = { readonly [Name in AskRoute]: (call: Call<Name>) => Promise<AnswerOf<Name>> };

/** Data of a static export: what the server answered when it was made, read from the files beside the page. */
export class ExportData implements StudioData {
  /** It is of one moment anyway. */
  readonly pin = undefined;
  readonly #written: Written;
  readonly #answerers: Answerers;

  constructor(chunks: Chunks = new ScriptChunks()) {
    this.#written = new Written(chunks);
    this.#answerers = answerersOf(this.#written);
  }

  async ask<Name extends AskRoute>(
    name: Name,
    { params, query }: Asked<Name>,
    signal?: AbortSignal,
  ): Promise<AnswerOf<Name>> {
    const answer: Answerers[Name] = this.#answerers[name];
    const answered = await answer({ params, query: queryOf(name, query ?? {}) });
    signal?.throwIfAborted();
    return answered;
  }

  async *lines<Name extends LinesRoute>(
    name: Name,
    { params, query }: Asked<Name>,
    signal: AbortSignal,
  ): AsyncGenerator<AnswerOf<Name>> {
    const lines: LinesAnswerers[Name] = LINES[name];
    yield* lines(this.#written, { params, query: queryOf(name, query ?? {}) }, signal);
  }

  async say(_: Saying): Promise<AnswerOf<'say'>> {
    throw readOnly();
  }

  /** Nothing happens in an export. */
  live(listener: LiveListener): { readonly retry: () => void; readonly stop: () => void } {
    listener.onState({ is: 'idle' });
    return { retry: () => undefined, stop: () => undefined };
  }
}

type LinesAnswerers = {
  readonly [Name in LinesRoute]: (
    written: Written,
    call: Call<Name>,
    signal: AbortSignal,
  ) => AsyncGenerator<AnswerOf<Name>>;
};

const LINES: LinesAnswerers = {
  find: (written, { params, query }, signal) => findLines(written, params, { query, signal }),
  search: (written, { query }, signal) => searchLines(written, query, signal),
};

function answerersOf(written: Written): Answerers {
  const ofRun = async <Name extends RouteName>(name: Name, { run }: AskedRun, query: object) => {
    const { answers: among } = await written.run({ run });
    return must(await written.find(name, { among, params: [], query }), name);
  };
  const common =
    <Name extends 'runWords' | 'evals'>(name: Name) =>
    async () =>
      must(await written.find(name, { among: await written.common(), params: [], query: {} }), name);
  return {
    about: async () => (await written.manifest()).about,
    runs: ({ query }) => runsPage(written, query),
    runWords: common('runWords'),
    runChanges: ({ query }) => changesOf(written, query.runs),
    run: ({ params, query }) => ofRun('run', params, query),
    samples: ({ params, query }) => samplesPage(written, params, query),
    sampleOrder: ({ params, query }) => sampleOrder(written, params, query),
    timeline: ({ params, query }) => ofRun('timeline', params, query),
    header: ({ params, query }) => ofRun('header', params, query),
    sample: async ({ params, query }) => {
      const { answers: among } = await written.sample(params);
      return must(await written.find('sample', { among, params: [], query }), 'sample');
    },
    skeleton: ({ params, query }) => skeletonOf(written, params, query),
    events: ({ params, query }) => eventsOf(written, params, query),
    event: ({ params, query }) => eventOf(written, params, { ...query, event: Number(params.event) }),
    eventPlace: ({ params, query }) => eventPlaceOf(written, params, query),
    messages: ({ params, query }) => messagesOf(written, params, query),
    text: ({ params, query }) => textOf(written, params, query),
    comparedSamples: ({ query }) => comparedPage(written, query),
    matrix: ({ query }) => matrixPage(written, query),
    evals: common('evals'),
    ...historyAnswerers(written),
    sampleStrips: async () => {
      throw leftOut('last results beside its samples', 'See the sample over time, or the matrix.');
    },
    review: async () => {
      throw readOnly();
    },
    ...neverExported,
    store: async () => {
      throw leftOut('store', 'It was written from one: open that with "holdfast studio".');
    },
  };
}

/** Which were written down only as far as they are few. */
function historyAnswerers(
  written: Written,
): Pick<Answerers, 'compare' | 'transcripts' | 'eval' | 'sampleOverTime'> {
  return {
    compare: ({ query }) => compareView(written, query),
    transcripts: async ({ params, query }) => {
      const among = await written.common();
      const found = await written.find('transcripts', { among, params: [params.sample], query });
      if (found) return found;
      const hint = `Write one that has it: holdfast studio export --out <folder> ${query.runs.join(' ')}`;
      throw leftOut('aligned transcripts of these two runs', hint);
    },
    eval: async ({ params, query: { score } }) => {
      const among = await written.common();
      const found = await written.find('eval', { among, params: [params.eval], query: { score } });
      if (!found) throw notHere(`history of ${params.eval}`);
      return found;
    },
    sampleOverTime: async ({ params, query: { score } }) => {
      const among = await written.common();
      const asked = { among, params: [params.eval, params.sample], query: { score } };
      const found = await written.find('sampleOverTime', asked);
      if (found) return found;
      throw leftOut('history of this sample', 'It has those of small evals only: export fewer runs.');
    },
  };
}

async function changesOf(written: Written, runs: readonly string[]): Promise<AnswerOf<'runChanges'>> {
  const among = await written.common();
  const all = await written.find('runChanges', { among, params: [], query: {} });
  const wanted = new Set(runs);
  return { changes: (all?.changes ?? []).filter(({ run }: RunChange) => wanted.has(run)) };
}

function must<Answer>(found: Answer | undefined, name: RouteName): Answer {
  if (found === undefined) throw notHere(`answer to "${ROUTES[name].summary.toLowerCase()}"`);
  return found;
}
