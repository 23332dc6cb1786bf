/** Runs, seals and verifies an eval of many samples from a file, and reports its memory on the way. */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { keepHeapSmall } from '../../src/cli/small-heap.ts';
import { includes } from '../../src/evals/index.ts';
import { report, residentBytes } from './child.ts';
import { runWhole } from './whole-run.ts';

const [dir = '', samplesText = '', sizeText = ''] = process.argv.slice(2);
const samples = Number(samplesText);
const sizeBytes = Number(sizeText);
const STEP = 10_000;

keepHeapSmall(); // as the command line does
await writeRows(join(dir, 'rows.jsonl'));
report({ at: 'start', ...residentBytes() });
let ended = 0;
const startedMs = performance.now();
let sealStartedMs = 0;
const { account } = await runWhole({
  dir,
  concurrency: 100,
  definition: {
    name: 'many-samples',
    data: 'rows.jsonl',
    target: async ({ input }) => String(input).slice(0, 40),
    scorers: [includes()],
  },
  observer: {
    onSampleEnd: () => {
      if (++ended % STEP === 0) report({ at: ended, ...residentBytes() });
    },
    onSealProgress: (done, total) => {
      if (done === 1) sealStartedMs = performance.now();
      if (done === total) report({ at: 'sealed', ...residentBytes() });
    },
  },
});
const endedMs = performance.now();
report({
  at: 'end',
  ...residentBytes(),
  completed: account.samples.fresh,
  runMs: Math.round(sealStartedMs - startedMs),
  sealMs: Math.round(endedMs - sealStartedMs),
});

async function writeRows(path: string): Promise<void> {
  const file = createWriteStream(path);
  for (let index = 0; index < samples; index++) {
    const row = {
      id: `sample-${index}`,
      input: `${index} `.padEnd(sizeBytes, `lorem ipsum ${index} `),
      target: String(index),
    };
    if (!file.write(`${JSON.stringify(row)}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}
