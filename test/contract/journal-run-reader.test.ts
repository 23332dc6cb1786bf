import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SampleKey, systemClock } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { type JournalWriter, readRunFromJournals } from '../../src/journal/index.ts';
import { newWriter, runRecord, sampleStart } from '../sim/journal-fixture.ts';
import { type FixtureSample, fixtureSpec } from '../sim/log-fixture.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type RunContent, type RunUnderTest, runReaderContract } from './run-reader.ts';

runReaderContract('readRunFromJournals', inJournals, { canGrow: true });

async function inJournals({ samples, isFinished }: RunContent): Promise<RunUnderTest> {
  const dir = await makeTempDir();
  const record = runRecord();
  const run = { ...record, start: { ...record.start, eval: fixtureSpec({ run_id: record.runId }) } };
  const writer = await newWriter(dir.path, run);
  for (const sample of samples) await write(writer, sample);
  const finish = async () => {
    await writer.end('finished');
    writer.close();
  };
  if (isFinished) await finish();
  const runDir = join(dir.path, run.runId);
  return {
    open: async () => readRunFromJournals({ disk: nodeDisk, clock: systemClock, runDir }),
    async damage({ id, epoch }) {
      const { path } = writer.reader;
      const bytes = readFileSync(path);
      const at = bytes.indexOf(markOf({ id, epoch }));
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(path, bytes);
    },
    async grow(sample) {
      await write(writer, sample);
      await finish();
    },
    async [Symbol.asyncDispose]() {
      writer.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

async function write(writer: JournalWriter, { fields, events }: FixtureSample): Promise<void> {
  const attempt = writer.startAttempt(sampleStart(fields.id, fields.epoch));
  for (const event of events) attempt.event(event);
  await attempt.finish('completed', { ...fields, setup: markOf(fields) });
}

/** A text that is in the result of one sample only. */
function markOf({ id, epoch }: SampleKey): string {
  return `the result of ${id}, epoch ${epoch}`;
}
