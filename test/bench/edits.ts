import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, type Finding, rounded } from './bench.ts';
import { buildPublished, LAUNCHER } from './published.ts';

const SAMPLES = 20_000;
/** What a short answer of a hosted model takes: the first run is mostly waiting, as it is in life. */
const LATENCY_MS = 500;
/** A model that nobody waits for: what is left is our own work. Measured beside it, with a tenth of the samples. */
const QUICK_LATENCY_MS = 50;
const QUICK_SHARE = 0.1;
const CONCURRENCY = 20;
const SHARE_MAX = 0.2;

const evalText = ({ samples, latencyMs }: Answering, least: number) => `
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEval, mockModel } from 'holdfast';
const model = mockModel({ name: 'mock/slow', async respond({ text }) { await sleep(${latencyMs}); return 'heard ' + text; } });
export default defineEval({
  name: 'edited',
  data: () => Array.from({ length: ${samples} }, (_, index) => ({ input: 'Question ' + index + '?', target: '42' })),
  models: { 'mock/slow': model },
  target: async ({ input }, { generate }) => (await generate(input)).text,
  scorers: [({ text }) => text.length > ${least}],
  concurrency: ${CONCURRENCY},
});
`;

/** How long one waits after editing a scorer, beside the run that bought the answers. */
export const edits: Bench = {
  name: 'edits',
  about: 'a scorer is edited and the eval is run again, beside the first run',
  async run({ scale }) {
    buildPublished();
    const samples = Math.round(SAMPLES * scale);
    return [
      await editScorer({ samples, latencyMs: LATENCY_MS }),
      await editScorer({ samples: Math.round(samples * QUICK_SHARE), latencyMs: QUICK_LATENCY_MS }),
    ];
  },
};

interface Answering {
  readonly samples: number;
  readonly latencyMs: number;
}

async function editScorer(answering: Answering): Promise<Finding> {
  await using dir = await makeTempDir();
  const first = timedRun(dir.path, evalText(answering, 10));
  const edited = timedRun(dir.path, evalText(answering, 11));
  const again = timedRun(dir.path, evalText(answering, 11));
  const { samples, latencyMs } = answering;
  return {
    what: `time after a scorer was edited, as a share of the first run with a model of ${latencyMs} ms`,
    line: `${samples} samples: first ${rounded(first / 1_000)} s, edited ${rounded(edited / 1_000)} s, unchanged ${rounded(again / 1_000)} s`,
    measured: edited / first,
    atMost: SHARE_MAX,
    figures: { samples, firstMs: first, editedMs: edited, unchangedMs: again, latencyMs },
  };
}

const LOGS = 1_000;
const SAMPLES_EACH = 1_000;
const LOOKUP_SHARE_MAX = 3;

const tinyText = (samples: number, score = 1) => `
import { defineEval } from 'holdfast';
export default defineEval({
  name: 'many',
  data: () => Array.from({ length: ${samples} }, (_, index) => ({ input: 'Question ' + index + '?' })),
  target: ({ input }) => input,
  scorers: [() => ${score}],
});
`;

/** How long a run looks for what is there already among many logs, beside one log, when they were looked at before. */
export const lookUp: Bench = {
  name: 'look-up',
  about: 'finding all samples of a run among 1,000 logs of 1,000 samples, beside one log',
  async run({ scale }) {
    buildPublished();
    const [logs, samples] = [Math.max(2, Math.round(LOGS * scale)), SAMPLES_EACH];
    await using dir = await makeTempDir();
    timedRun(dir.path, tinyText(samples));
    const one = timedRun(dir.path, tinyText(samples));
    const oneEdited = timedRun(dir.path, tinyText(samples, 2));
    copyLogs(join(dir.path, 'logs'), logs);
    const index = timedRun(dir.path, tinyText(samples));
    const many = timedRun(dir.path, tinyText(samples));
    const manyEdited = timedRun(dir.path, tinyText(samples, 3));
    return [
      {
        what: 'time with many logs that are known, as a multiple of one log',
        line: `${logs} logs of ${samples}: one log ${rounded(one / 1_000)} s, first look ${rounded(index / 1_000)} s, then ${rounded(many / 1_000)} s`,
        measured: many / one,
        atMost: LOOKUP_SHARE_MAX,
        figures: { logs, samples, oneMs: one, firstLookMs: index, knownMs: many },
      },
      {
        what: 'time after a scorer was edited, with many logs, as a multiple of one log',
        line: `${logs} logs of ${samples}: beside one log ${rounded(oneEdited / 1_000)} s, beside all ${rounded(manyEdited / 1_000)} s`,
        measured: manyEdited / oneEdited,
        atMost: LOOKUP_SHARE_MAX,
        figures: { logs, samples, oneEditedMs: oneEdited, manyEditedMs: manyEdited },
      },
    ];
  },
};

/** Names begin with the time of the run; every copy is of another second. */
function copyLogs(dir: string, count: number): void {
  const [name = ''] = readdirSync(dir).filter((one) => one.endsWith('.eval'));
  mkdirSync(dir, { recursive: true });
  const script = `
    const { copyFileSync } = require('node:fs');
    const [dir, name, count] = process.argv.slice(1);
    for (let n = 1; n < Number(count); n++) {
      const time = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString().slice(0, 19).replaceAll(':', '-');
      copyFileSync(dir + '/' + name, dir + '/' + time + name.slice(19));
    }`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', script, dir, name, String(count)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
}

function timedRun(cwd: string, text: string): number {
  writeFileSync(join(cwd, 'x.eval.mjs'), text);
  const startedMs = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      LAUNCHER,
      'run',
      'x.eval.mjs',
      ...(text.includes('mock/slow') ? ['--model', 'mock/slow'] : []),
      '--quiet',
    ],
    { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  if (status !== 0) throw new Error(`the run ended with ${status}:\n${stderr}`);
  return performance.now() - startedMs;
}
