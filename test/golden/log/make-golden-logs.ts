/**
 * Makes the golden logs beside this file, which every later release must read alike. Run it only to add a new one:
 * `node test/golden/log/make-golden-logs.ts`. The bytes are the same on every machine for `stored`; compressed ones may
 * change with the version of the compressor, which readers must not notice.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeDisk } from '../../../src/disk/index.ts';
import { type CompressionMethod, condenseMessages, convertLog, createCondenser, createLogFile, type SampleParts, summarize } from '../../../src/log/index.ts';
import { goldenHeader, goldenSamples } from './golden-content.ts';

const dir = dirname(fileURLToPath(import.meta.url));
for (const method of ['zstd', 'deflate', 'stored'] as const) await makeLog(method);
await makeUnfinished();
await nodeDisk.remove(join(dir, 'v2-log.json'));
await convertLog(nodeDisk, { from: join(dir, 'v2-stored.eval'), to: join(dir, 'v2-log.json') });

async function makeLog(method: CompressionMethod): Promise<void> {
  const path = join(dir, `v2-${method}.eval`);
  await nodeDisk.remove(path);
  const file = await createLogFile(nodeDisk, path, { method });
  await file.writeStart({ version: 2, eval: goldenHeader.eval, plan: goldenHeader.plan });
  const samples = goldenSamples();
  for (const { fields, events } of samples) await file.writeSample(partsOf(fields, events));
  await file.writeSummaries(samples.map(({ fields }) => summarize(fields)));
  await file.writeReductions([
    { scorer: 'includes', reducer: 'mean', samples: [{ value: 1, sample_id: 1 }] },
  ]);
  await file.writeHeader(goldenHeader);
  await file.finish();
}

/** As a crash leaves it: no summaries, no header. */
async function makeUnfinished(): Promise<void> {
  const path = join(dir, 'v2-unfinished.eval');
  await nodeDisk.remove(path);
  const file = await createLogFile(nodeDisk, path);
  await file.writeStart({ version: 2, eval: goldenHeader.eval, plan: goldenHeader.plan });
  const [first, second] = goldenSamples();
  for (const sample of [first, second]) {
    if (!sample) continue;
    await file.writeSample(partsOf(sample.fields, sample.events));
    await file.writeSummaryBatch([summarize(sample.fields)]);
  }
  await file.finish();
}

function partsOf(
  fields: SampleParts['fields'],
  events: ReturnType<typeof goldenSamples>[number]['events'],
): SampleParts {
  const condenser = createCondenser();
  const condensed = events.map((event) => condenser.condense(event));
  const messages = condenseMessages(fields.messages);
  return {
    fields: { ...fields, messages: messages.values },
    events: condensed.map(({ json }) => json),
    attachments: [...messages.attachments, ...condensed.flatMap(({ attachments }) => attachments)],
    messages: condensed.flatMap((event) => event.messages.map(({ json }) => json)),
    calls: condensed.flatMap((event) => event.calls.map(({ json }) => json)),
  };
}
