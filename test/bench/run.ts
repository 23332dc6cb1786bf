/** `npm run bench [-- name … --scale 0.1]`: measures one thing after the other, and prints a line to read and one to process. */
import { parseArgs } from 'node:util';
import { mergeArtifacts } from './artifacts.ts';
import type { Bench, Finding } from './bench.ts';
import { rounded } from './bench.ts';
import { compare } from './compare.ts';
import { edits, lookUp } from './edits.ts';
import { histories } from './histories.ts';
import { journalCost } from './journal-cost.ts';
import { largeSample } from './large-sample.ts';
import { logFolder } from './log-folder.ts';
import { manySamples } from './many-samples.ts';
import { recoverLong, recoverMany } from './recover.ts';
import { resultsList } from './results.ts';
import { s3Read } from './s3-read.ts';
import { s3Segments } from './s3-segments.ts';
import { sharedFetch } from './shared-fetch.ts';
import { sharedIsolated } from './shared-isolated.ts';
import { sharedMillion } from './shared-million.ts';
import { sharedOverhead } from './shared-overhead.ts';
import { sharedRedelivery } from './shared-redelivery.ts';
import { sharedScale } from './shared-scale.ts';
import { startUp } from './start-up.ts';
import { studioMatrix, studioRuns } from './studio.ts';
import { studioCompare } from './studio-compare.ts';
import { studioExport } from './studio-export.ts';
import { studioIndex } from './studio-index.ts';
import { studioMessage } from './studio-message.ts';
import { studioSample } from './studio-sample.ts';
import { studioTranscript } from './studio-transcript.ts';
import { studioWatch } from './studio-watch.ts';

const BENCHES: readonly Bench[] = [
  journalCost,
  manySamples,
  largeSample,
  histories,
  startUp,
  edits,
  lookUp,
  logFolder,
  recoverMany,
  recoverLong,
  resultsList,
  compare,
  mergeArtifacts,
  s3Read,
  s3Segments,
  sharedOverhead,
  sharedScale,
  sharedRedelivery,
  sharedFetch,
  sharedIsolated,
  sharedMillion,
  studioRuns,
  studioMessage,
  studioTranscript,
  studioMatrix,
  studioIndex,
  studioWatch,
  studioCompare,
  studioSample,
  studioExport,
];

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: { scale: { type: 'string', default: '1' } },
});
const options = { scale: Number(values.scale) };
/** `studio` means everything of the Studio, `s3` everything of S3, `shared` everything of shared runs. */
const isMeant = (bench: Bench, name: string) => bench.name === name || bench.name.startsWith(`${name}-`);
const unknown = names.filter((name) => !BENCHES.some((bench) => isMeant(bench, name)));
if (unknown.length > 0) {
  const known = BENCHES.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join('\n');
  process.stderr.write(`No benchmark is called ${unknown.join(', ')}. There are:\n${known}\n`);
  process.exitCode = 2;
} else {
  for (const bench of BENCHES) {
    if (names.length > 0 && !names.some((name) => isMeant(bench, name))) continue;
    for (const finding of await bench.run(options)) print(bench, finding);
  }
}

function print(bench: Bench, { what, line, measured, atMost, figures }: Finding): void {
  const verdict = measured <= atMost ? 'within' : 'BEYOND';
  const result = `${rounded(measured)} (${verdict} ${atMost})`;
  process.stdout.write(`${bench.name}: ${what}: ${result}: ${line}\n`);
  process.stdout.write(`${JSON.stringify({ bench: bench.name, what, measured, atMost, ...figures })}\n`);
}
