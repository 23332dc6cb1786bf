import { replaceFile } from '../../src/disk/index.ts';
import { createLogFile, openLog, readRunFromLog, sampleMemberName, summarize } from '../../src/log/index.ts';
import { fixtureHeader, fixtureParts } from '../sim/log-fixture.ts';
import { SimulatedDisk } from '../sim/simulated-disk.ts';
import { type RunContent, type RunUnderTest, runReaderContract } from './run-reader.ts';

runReaderContract('readRunFromLog', (content) => inLog(content), { canGrow: false });
runReaderContract(
  'readRunFromLog of a log that is stored, not compressed',
  (content) => inLog(content, 'stored'),
  { canGrow: false },
);

async function inLog(content: RunContent, method: 'zstd' | 'stored' = 'zstd'): Promise<RunUnderTest> {
  const disk = new SimulatedDisk();
  const path = '/run.eval';
  const file = await createLogFile(disk, path, { method });
  const header = fixtureHeader();
  await file.writeStart({ version: 2, eval: header.eval, plan: header.plan });
  for (const sample of content.samples) await file.writeSample(fixtureParts(sample));
  const rows = content.samples.map(({ fields }) => summarize(fields));
  if (content.isFinished) {
    await file.writeSummaries(rows);
    await file.writeHeader(header);
  } else await file.writeSummaryBatch(rows);
  await file.finish();
  return {
    open: async () => readRunFromLog(await openLog(disk, path)),
    async damage({ id, epoch }) {
      const bytes = Buffer.from((await disk.read(path)) ?? []);
      const name = sampleMemberName(id, epoch);
      // The first bytes of the member come after its name in the local header and what reserves room there.
      const at = bytes.indexOf(name) + name.length + 40;
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      await replaceFile(disk, path, bytes);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}
