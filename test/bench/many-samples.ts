import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, type Finding, MB, rounded } from './bench.ts';
import { type MemoryNote, NOTE_MEMORY, readNotes } from './memory-notes.ts';
import { holdfast } from './published.ts';

const SAMPLES = 100_000;
const SAMPLE_BYTES = 4 * 1024;
const STEPS = 10;
const PEAK_MB_MAX = 250;
/** Flat: memory grows by no more than this factor after the first tenth. */
const GROWTH_MAX = 1.25;

/** Memory of a large run, from the file with its rows to the verified log. */
export const manySamples: Bench = {
  name: 'samples',
  about: `resident memory while ${SAMPLES} samples of ${SAMPLE_BYTES} bytes are run, sealed and verified`,
  async run({ scale }) {
    const samples = Math.round((SAMPLES * scale) / STEPS) * STEPS;
    await using dir = await makeTempDir();
    await writeRows(join(dir.path, 'rows.jsonl'), samples);
    const evalFile = join(dir.path, 'many-samples.eval.js');
    writeFileSync(evalFile, evalSource(samples / STEPS));
    await holdfast(['run', evalFile, '--log-dir', join(dir.path, 'logs'), '--concurrency', '100', '--quiet']);
    const notes = readNotes(dir.path);
    return [peakFinding(notes, samples), growthFinding(notes)];
  },
};

function evalSource(step: number): string {
  return `${NOTE_MEMORY}
import { defineEval, includes } from 'holdfast';
let calls = 0;
export default defineEval({
  name: 'many-samples',
  data: 'rows.jsonl',
  target: async ({ input }) => {
    if (++calls % ${step} === 0) note(calls);
    return input.slice(0, 40);
  },
  scorers: [includes()],
});
`;
}

async function writeRows(path: string, samples: number): Promise<void> {
  const file = createWriteStream(path);
  for (let index = 0; index < samples; index++) {
    const input = `${index} `.padEnd(SAMPLE_BYTES, `lorem ipsum ${index} `);
    const row = { id: `sample-${index}`, input, target: String(index) };
    if (!file.write(`${JSON.stringify(row)}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

function peakFinding(notes: readonly MemoryNote[], samples: number): Finding {
  const lastCall = notes.findLast(({ at }) => typeof at === 'number');
  const end = notes.at(-1);
  const peakMb = (end?.peakBytes ?? Number.NaN) / MB;
  const runningMb = (lastCall?.peakBytes ?? Number.NaN) / MB;
  const runMs = rounded((lastCall?.ms ?? Number.NaN) - (notes[0]?.ms ?? 0), 0);
  const sealMs = rounded((end?.ms ?? Number.NaN) - (lastCall?.ms ?? 0), 0);
  return {
    what: 'peak resident memory in MB',
    measured: rounded(peakMb, 0),
    atMost: PEAK_MB_MAX,
    figures: { samples, sampleBytes: SAMPLE_BYTES, peakMb, runningMb, runMs, sealMs },
    line: `${rounded(runningMb, 0)} MB while running (${runMs} ms), ${rounded(peakMb, 0)} MB with sealing and verifying (${sealMs} ms)`,
  };
}

function growthFinding(notes: readonly MemoryNote[]): Finding {
  const steps = notes
    .filter(({ at }) => typeof at === 'number')
    .map(({ at, rssBytes }) => ({ at, mb: rounded(rssBytes / MB, 0) }));
  const first = steps[0]?.mb ?? Number.NaN;
  const most = Math.max(...steps.slice(1).map(({ mb }) => mb));
  return {
    what: 'resident memory after the first tenth of the samples, as a multiple of what it was there',
    measured: most / first,
    atMost: GROWTH_MAX,
    figures: { mbBySamples: Object.fromEntries(steps.map(({ at, mb }) => [at, mb])) },
    line: steps.map(({ at, mb }) => `${at}: ${mb} MB`).join(', '),
  };
}
