import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Random, seededRandom, systemClock, systemRandom } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { type LogEvent, openLog } from '../../src/log/index.ts';
import { createStudio } from '../../src/server/create-studio.ts';
import { compare, comparedSamples } from '../../src/server/handlers/compare.ts';
import { matrix } from '../../src/server/handlers/matrix.ts';
import { search } from '../../src/server/handlers/search.ts';
import { strictText } from '../../src/server/strict-text.ts';
import type { Studio } from '../../src/server/studio.ts';
import { openFolder } from '../../src/sources/index.ts';
import { fixtureEvent, fixtureFields, writeFixtureLog } from '../sim/log-fixture.ts';
import { GIT_ENV, runIdAt } from '../sim/results-repo.ts';
import { callOf } from '../sim/studio-of-logs.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, type Finding, MB, median, rounded } from './bench.ts';

const TIMES = 5;

/** What the Studio's server does for the pages that compare and search: asked as by the browser, up to the text that is sent. */
export const studioCompare: Bench = {
  name: 'studio-compare',
  about:
    'the Studio: two runs of 5,000 samples compared, 2,000 × 50 as a matrix, 200 runs × 50 samples searched',
  async run({ scale }) {
    await using dir = await makeTempDir();
    return [
      ...(await comparing(join(dir.path, 'compare'), Math.round(5_000 * scale))),
      ...(await inMatrix(
        join(dir.path, 'matrix'),
        Math.round(2_000 * scale),
        Math.max(2, Math.round(50 * scale)),
      )),
      ...(await searching(join(dir.path, 'search'), Math.max(2, Math.round(200 * scale)))),
    ];
  },
};

async function comparing(dir: string, samples: number): Promise<readonly Finding[]> {
  const paths = await writeRuns(dir, 2, (random) => rowsOf(samples, random));
  const readMs = median(await timed(TIMES, () => readMembers(paths, /^summaries\.json$/)));
  const cold: number[] = [];
  const warm: number[] = [];
  const table: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    await using studio = await studioOn(dir);
    const runs = studio.index
      .items()
      .map(({ run }) => run)
      .join(',');
    const asking = async () =>
      strictText(await compare(callOf(studio, 'compare', { query: { runs } }))).length;
    cold.push(...(await timed(1, asking)));
    warm.push(...(await timed(1, asking)));
    const rows = () => comparedSamples(callOf(studio, 'comparedSamples', { query: { runs } }));
    table.push(...(await timed(1, async () => strictText(await rows()).length)));
  }
  const ms = { first: median(cold), again: median(warm), table: median(table), bytesAlone: readMs };
  return [
    {
      what: 'ms to compare two runs for the first time',
      line: `${samples} samples each: ${rounded(ms.first, 0)} ms, again ${rounded(ms.again, 0)} ms, its table ${rounded(ms.table, 0)} ms; their lists of samples are read in ${rounded(readMs, 0)} ms, ${rounded(ms.first / readMs, 1)} times less`,
      measured: ms.first,
      atMost: 1_000,
      figures: { samples, ms, cold, warm, table },
    },
  ];
}

async function inMatrix(dir: string, samples: number, runs: number): Promise<readonly Finding[]> {
  const paths = await writeRuns(dir, runs, (random) => rowsOf(samples, random));
  const readMs = median(await timed(3, () => readMembers(paths, /^summaries\.json$/)));
  await using studio = await studioOn(dir);
  const asking = async () =>
    strictText(await matrix(callOf(studio, 'matrix', { query: { limit: String(runs) } }))).length;
  global.gc?.();
  const before = process.memoryUsage().rss;
  const [first = 0] = await timed(1, asking);
  const again = median(await timed(TIMES, asking));
  const keptMb = (process.memoryUsage().rss - before) / MB;
  const figures = { samples, runs, firstMs: first, againMs: again, bytesAloneMs: readMs, keptMb };
  const times = `${samples} × ${runs}: ${rounded(first, 0)} ms, again ${rounded(again, 0)} ms; their lists of samples are read in ${rounded(readMs, 0)} ms, ${rounded(first / readMs, 1)} times less`;
  return [
    { what: 'ms for a matrix for the first time', line: times, measured: first, atMost: 5_000, figures },
    { what: 'ms for the same matrix again', line: times, measured: again, atMost: 300, figures },
  ];
}

const SAMPLES_A_RUN = 50;

async function searching(dir: string, runs: number): Promise<readonly Finding[]> {
  const paths = await writeRuns(dir, runs, (random) => transcriptsOf(random));
  const found: Finding[] = [];
  for (const { what, text } of [
    { what: 'nowhere', text: 'zebra crossing' },
    { what: 'in one sample of a hundred', text: 'platypus' },
  ]) {
    const reads: number[] = [];
    const searches: Searched[] = [];
    let bytes = 0;
    // In turn, because a machine is busier at one time than at another.
    for (let time = 0; time < 3; time++) {
      reads.push(...(await timed(1, async () => (bytes = await readMembers(paths, /^samples\//)))));
      searches.push(await searched(dir, text));
    }
    const [mb, readMs, ms] = [bytes / MB, median(reads), median(searches.map((one) => one.ms))];
    const [{ hits = 0, samples = 0 } = {}] = searches;
    const stretchMs = Math.max(...searches.map((one) => one.stretchMs));
    found.push({
      what: `times as long as reading the bytes alone, for a text that is ${what}`,
      line: `${runs} runs, ${samples} samples, ${rounded(mb, 0)} MB: ${rounded(ms, 0)} ms (${rounded(mb / (ms / 1_000), 0)} MB/s), ${hits} hits; the bytes alone ${rounded(readMs, 0)} ms; it worked for at most ${rounded(stretchMs, 1)} ms at a stretch`,
      measured: ms / readMs,
      atMost: 2,
      figures: { runs, samples, mb, ms, readMs, reads, searches },
    });
  }
  return found;
}

interface Searched {
  readonly ms: number;
  readonly hits: number;
  readonly samples: number;
  readonly stretchMs: number;
}

/** Nothing is remembered of another search. */
async function searched(dir: string, text: string): Promise<Searched> {
  await using studio = await studioOn(dir);
  let [hits, samples] = [0, 0];
  using stretches = watchStretches();
  const [ms = 0] = await timed(1, async () => {
    for await (const line of search(callOf(studio, 'search', { query: { text, limit: '5000' } }))) {
      hits += line.hits.length;
      samples = line.samplesSearched;
    }
  });
  return { ms, hits, samples, stretchMs: stretches.longestMs };
}

/** How long this thread works without letting anybody in: in time of the processor, which a busy machine does not change. */
function watchStretches(): Disposable & { readonly longestMs: number } {
  let longestMs = 0;
  let last = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    last = process.threadCpuUsage();
  }, 0);
  return {
    get longestMs() {
      return longestMs;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

async function timed(times: number, work: () => Promise<unknown>): Promise<readonly number[]> {
  const ms: number[] = [];
  for (let time = 0; time < times; time++) {
    const begun = performance.now();
    await work();
    ms.push(performance.now() - begun);
  }
  return ms;
}

async function studioOn(dir: string): Promise<Studio> {
  const base = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };
  const studio = createStudio({ ...base, sources: await openFolder(dir, { ...base, cwd: dir }) });
  await studio.index.whole(new AbortController().signal);
  return studio;
}

/** Opens each log and reads the members that are meant, decompressed and checked; gives how many bytes that are. */
async function readMembers(paths: readonly string[], which: RegExp): Promise<number> {
  let bytes = 0;
  for (const path of paths) {
    const log = await openLog(nodeDisk, path);
    for (const { name } of log.members())
      if (which.test(name)) for await (const chunk of log.readMember(name) ?? []) bytes += chunk.length;
    await log.close();
  }
  return bytes;
}

type Samples = NonNullable<Parameters<typeof writeFixtureLog>[2]>['samples'];

async function writeRuns(
  dir: string,
  runs: number,
  make: (random: Random) => Samples,
): Promise<readonly string[]> {
  mkdirSync(dir, { recursive: true });
  const paths: string[] = [];
  for (let at = 0; at < runs; at++) {
    const run = runIdAt(new Date(Date.UTC(2026, 0, 1) + at * 3_600_000).toISOString(), at);
    const spec = { run_id: run, task: 'bench', scorers: [{ name: 'exact' }] };
    const samples = make(seededRandom(at + 1)) ?? [];
    paths.push(await writeFixtureLog(nodeDisk, join(dir, `${run}.eval`), { spec, samples }));
  }
  return paths;
}

/** Rows as a model's run has them. */
function rowsOf(samples: number, random: Random): Samples {
  const usage = { input_tokens: 400, output_tokens: 120, total_tokens: 520, total_cost: 0.0021 };
  return Array.from({ length: samples }, (_, index) => ({
    fields: fixtureFields(`question-${index}`, {
      input: `Question ${index}: ${'what is it that one asks here? '.repeat(8)}`,
      scores: {
        exact: {
          value: random.next() < 0.6 ? 'C' : 'I',
          answer: 'an answer',
          explanation: 'because. '.repeat(12),
        },
      },
      model_usage: { 'mock/m': usage },
      total_time: 1 + random.next(),
    }),
    events: [],
  }));
}

const WORDS =
  'the agent looks at a file then runs every test of it and reads what failed before it tries another way'.split(
    ' ',
  );

/** Transcripts of an agent: twelve turns, each with a tool that says a page. */
function transcriptsOf(random: Random): Samples {
  const page = (words: number) =>
    Array.from({ length: words }, () => WORDS[Math.floor(random.next() * WORDS.length)]).join(' ');
  return Array.from({ length: SAMPLES_A_RUN }, (_, index) => {
    const events: LogEvent[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const message = { role: 'assistant', content: page(40), tool_calls: [] };
      events.push(
        fixtureEvent({
          ...{ event: 'model', model: 'mock/m', input: [], tools: [], tool_choice: 'auto', config: {} },
          output: { model: 'mock/m', choices: [{ message, stop_reason: 'stop' }] },
        }),
        fixtureEvent({
          event: 'tool',
          id: `t${turn}`,
          function: 'bash',
          arguments: { cmd: page(5) },
          result: page(250),
        }),
      );
    }
    if (random.next() < 0.01) events.push(fixtureEvent({ event: 'info', data: `a Platypus, ${page(60)}` }));
    return { fields: fixtureFields(`s${index}`), events };
  });
}
