/** Writes answers one after the other, and says on stdout when each was acknowledged: `ack 0`, `ack 1`, … */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Digest, systemClock } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { createJournal } from '../../src/journal/index.ts';
import { runRecord } from '../sim/journal-fixture.ts';

const [dir = '', countText = '10', sizeText = '100'] = process.argv.slice(2);
const run = runRecord();
const journal = await createJournal(join(dir, run.runId), run, { disk: nodeDisk, clock: systemClock });
const attempt = journal.startAttempt({
  id: 'a',
  epoch: 1,
  key: 'k' as Digest,
  uuid: 'u',
  startedAt: '2026-01-01T00:00:00+00:00',
  sample: { input: 'q', target: 't', metadata: {} },
});
try {
  for (let n = 0; n < Number(countText); n++) {
    const value = `${n} ${'x'.repeat(Number(sizeText))}`;
    await attempt.answer({ kind: 'model', digest: `d${n}` as Digest, occurrence: 0, value }, []);
    writeSync(1, `ack ${n}\n`);
  }
} catch (error) {
  writeSync(1, `failed ${Reflect.get(error as object, 'code')}\n`);
  process.exitCode = 4;
} finally {
  journal.close();
}
