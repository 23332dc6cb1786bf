import { join } from 'node:path';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, type Finding, MB, median, rounded } from './bench.ts';
import { buildPublished } from './published.ts';
import { makeStore } from './results-store.ts';
import { type StudioServer, startStudio } from './studio-server.ts';

const SIZES = [10_000, 100_000];

/** Filters and orders that touch every run. */
const QUESTIONS = [
  'q=eval:eval-1*',
  'q=score>0.4 cost>0.001&sort=-cost,eval',
  'q=-eval:eval-7 gpt&sort=eval,-score',
  'sort=-change',
];

/** How soon the Studio shows runs of ever larger stores, how soon it has read all, and what it holds then. */
export const studioIndex: Bench = {
  name: 'studio-index',
  about:
    'the Studio’s list of 10,000 and 100,000 published runs: first rows, all rows, a filtered page, memory',
  async run({ scale }) {
    buildPublished();
    await using dir = await makeTempDir();
    const findings: Finding[] = [];
    const firsts: number[] = [];
    for (const size of SIZES) {
      const runs = Math.max(500, Math.round(size * scale));
      const repo = join(dir.path, `store-${runs}.git`);
      await makeStore(repo, runs);
      const found = await measureStudio(repo, runs);
      firsts.push(found.firstMs);
      findings.push(...findingsOf(found));
    }
    findings.push({
      what: 'time to the first rows of the largest store over the smallest',
      measured: (firsts.at(-1) ?? 0) / (firsts[0] ?? 1),
      atMost: 2,
      line: firsts.map((ms) => `${rounded(ms, 0)} ms`).join(', '),
      figures: { firsts },
    });
    return findings;
  },
};

interface Measured {
  readonly runs: number;
  /** From the start of the process to the first rows. */
  readonly firstMs: number;
  /** From the start of the process until all are read. */
  readonly wholeMs: number;
  /** The longest that anybody waited for an answer while it read. */
  readonly longestMs: number;
  /** A page of 200 that was never asked for before, filtered and sorted over all runs. */
  readonly pageMs: number;
  /** The same page again. */
  readonly againMs: number;
  /** Processor time of the server until all were read, and of the worst page. */
  readonly wholeCpuMs: number;
  readonly pageCpuMs: number;
  readonly peakBytes: number;
  readonly heldBytes: number;
}

async function measureStudio(repo: string, runs: number): Promise<Measured> {
  const startedMs = performance.now();
  await using studio = await startStudio([repo]);
  const first = await ask(studio, 'runs');
  const firstMs = performance.now() - startedMs;
  if (first.runs.length === 0) throw new Error('The first answer has no rows.');
  let longestMs = 0;
  for (let isWhole = first.index.isWhole; !isWhole; ) {
    const from = performance.now();
    isWhole = (await ask(studio, 'runs?limit=50')).index.isWhole;
    longestMs = Math.max(longestMs, performance.now() - from);
    // Whoever looks on must not be what is measured.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const wholeMs = performance.now() - startedMs;
  const wholeCpuMs = studio.cpuMs();
  const all = await ask(studio, 'runs');
  if (all.all !== runs) throw new Error(`It lists ${all.all} of ${runs} runs.`);
  const pages: number[] = [];
  const again: number[] = [];
  const cpu: number[] = [];
  for (const question of QUESTIONS) {
    const before = studio.cpuMs();
    pages.push(await timed(() => ask(studio, `runs?${question}`)));
    cpu.push(studio.cpuMs() - before);
    again.push(await timed(() => ask(studio, `runs?${question}&offset=200`)));
  }
  const { peakBytes, nowBytes: heldBytes } = studio.memory();
  const [pageMs, pageCpuMs] = [Math.max(...pages), Math.max(...cpu)];
  const times = { firstMs, wholeMs, longestMs, pageMs, againMs: median(again), wholeCpuMs, pageCpuMs };
  return { runs, ...times, peakBytes, heldBytes };
}

function findingsOf(found: Measured): readonly Finding[] {
  const { runs, firstMs, wholeMs, longestMs, pageMs, againMs, wholeCpuMs, pageCpuMs } = found;
  const { peakBytes, heldBytes } = found;
  const figures = { ...found };
  const of = `of ${runs}`;
  return [
    {
      what: `first rows ${of}, from the start of the process, in ms`,
      measured: firstMs,
      atMost: 1_000,
      line: `all rows after ${rounded(wholeMs, 0)} ms (${rounded(wholeCpuMs, 0)} ms of processor time), nobody waited longer than ${rounded(longestMs, 0)} ms meanwhile`,
      figures,
    },
    {
      what: `a page of 200 ${of}, filtered and sorted, in ms`,
      measured: pageMs,
      atMost: 300,
      line: `the worst of ${QUESTIONS.length} (${pageCpuMs} ms of processor time); the next page of the same ${rounded(againMs, 0)} ms`,
      figures,
    },
    {
      what: `memory of the server with ${runs} runs, in MB`,
      measured: peakBytes / MB,
      atMost: 300,
      line: `at its peak; ${rounded(heldBytes / MB, 0)} MB afterwards`,
      figures,
    },
  ];
}

interface Answer {
  readonly runs: readonly unknown[];
  readonly all: number;
  readonly index: { readonly isWhole: boolean };
}

async function ask(studio: StudioServer, what: string): Promise<Answer> {
  return (await studio.ask(`/api/${what.replaceAll(' ', '%20')}`)) as Answer;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
