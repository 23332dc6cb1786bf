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
  const reading = medianOf(await timed(TIMES, () => readMembers(paths, /^summaries\.json$/)));
  const found: Record<'first' | 'again' | 'table', Timed[]> = { first: [], again: [], table: [] };
  for (let time = 0; time < TIMES; time++) {
    await using studio = await studioOn(dir);
    const runs = studio.index
      .items()
      .map(({ run }) => run)
      .join(',');
    const asking = async () =>
      strictText(await compare(callOf(studio, 'compare', { query: { runs } }))).length;
    found.first.push(...(await timed(1, asking)));
    found.again.push(...(await timed(1, asking)));
    const rows = () => comparedSamples(callOf(studio, 'comparedSamples', { query: { runs } }));
    found.table.push(...(await timed(1, async () => strictText(await rows()).length)));
  }
  const [first, again, table] = [medianOf(found.first), medianOf(found.again), medianOf(found.table)];
  return [
    {
      what: 'ms to compare two runs for the first time',
      line: `${samples} samples each: ${said(first)}, again ${said(again)}, its table ${said(table)}; their lists of samples are read in ${said(reading)}: ${rounded(first.cpuMs / reading.cpuMs, 1)} times less`,
      measured: first.ms,
      atMost: 1_000,
      figures: { samples, reading, ...found },
    },
  ];
}

async function inMatrix(dir: string, samples: number, runs: number): Promise<readonly Finding[]> {
  const paths = await writeRuns(dir, runs, (random) => rowsOf(samples, random));
  const reading = medianOf(await timed(3, () => readMembers(paths, /^summaries\.json$/)));
  await using studio = await studioOn(dir);
  const asking = async () =>
    strictText(await matrix(callOf(studio, 'matrix', { query: { limit: String(runs) } }))).length;
  const first = medianOf(await timed(1, asking));
  const again = medianOf(await timed(TIMES, asking));
  const figures = { samples, runs, first, again, reading };
  const line = `${samples} × ${runs}: ${said(first)}, again ${said(again)}; their lists of samples are read in ${said(reading)}: ${rounded(first.cpuMs / reading.cpuMs, 1)} times less`;
  return [
    { what: 'ms for a matrix for the first time', line, measured: first.ms, atMost: 5_000, figures },
    { what: 'ms for the same matrix again', line, measured: again.ms, atMost: 300, figures },
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
    const reads: Timed[] = [];
    const searches: Searched[] = [];
    let bytes = 0;
    // In turn, because a machine is busier at one time than at another.
    for (let time = 0; time < 3; time++) {
      reads.push(
        ...(await timed(1, async () => {
          bytes = await readMembers(paths, /^samples\//);
        })),
      );
      searches.push(await searched(dir, text));
    }
    const [mb, reading, search] = [bytes / MB, medianOf(reads), medianOf(searches)];
    const [{ hits = 0, samples = 0 } = {}] = searches;
    const stretchMs = Math.max(...searches.map((one) => one.stretchMs));
    found.push({
      what: `times the processor time of reading the bytes alone, for a text that is ${what}`,
      line: `${runs} runs, ${samples} samples, ${rounded(mb, 0)} MB: ${said(search)} (${rounded(mb / (search.ms / 1_000), 0)} MB/s), ${hits} hits; the bytes alone ${said(reading)}; it worked for at most ${rounded(stretchMs, 1)} ms at a stretch`,
      measured: search.cpuMs / reading.cpuMs,
      atMost: 2,
      figures: { runs, samples, mb, reads, searches },
    });
  }
  return found;
}

interface Searched extends Timed {
  readonly hits: number;
  readonly samples: number;
  readonly stretchMs: number;
}

/** Nothing is remembered of another search. */
async function searched(dir: string, text: string): Promise<Searched> {
  await using studio = await studioOn(dir);
  let [hits, samples] = [0, 0];
  using stretches = watchStretches();
  const [spent] = await timed(1, async () => {
    for await (const line of search(callOf(studio, 'search', { query: { text, limit: '5000' } }))) {
      hits += line.hits.length;
      samples = line.samplesSearched;
    }
  });
  return { ...(spent ?? NO_TIME), hits, samples, stretchMs: stretches.longestMs };
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

/** Time on the clock, and of the processor, which a busy machine does not change. */
interface Timed {
  readonly ms: number;
  readonly cpuMs: number;
}

const NO_TIME: Timed = { ms: Number.NaN, cpuMs: Number.NaN };

async function timed(times: number, work: () => Promise<unknown>): Promise<readonly Timed[]> {
  const found: Timed[] = [];
  for (let time = 0; time < times; time++) {
    const [begun, before] = [performance.now(), process.cpuUsage()];
    await work();
    const { user, system } = process.cpuUsage(before);
    found.push({ ms: performance.now() - begun, cpuMs: (user + system) / 1_000 });
  }
  return found;
}

function medianOf(found: readonly Timed[]): Timed {
  return { ms: median(found.map(({ ms }) => ms)), cpuMs: median(found.map(({ cpuMs }) => cpuMs)) };
}

function said({ ms, cpuMs }: Timed): string {
  return `${rounded(ms, 0)} ms (processor ${rounded(cpuMs, 0)} ms)`;
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
