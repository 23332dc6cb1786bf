/**
 * Writes answers one after the other, and says on stdout when each was acknowledged: `ack 0`, `ack 1`, … What is not
 * acknowledged is said as `failed <code>`, and the next is tried all the same, as a target does that catches every error.
 */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { newWriter, runRecord, sampleStart, someAnswer } from '../sim/journal-fixture.ts';

const [dir = '', countText = '10', sizeText = '100', pauseText = '0'] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);
const journal = await newWriter(dir, runRecord(), { writer: 'w' });
say(`dir ${journal.dir}`);
journal.onFailure.addEventListener('abort', () => {
  say(`stopped ${Reflect.get(journal.onFailure.reason, 'code')}`);
});
const attempt = journal.startAttempt(sampleStart('a'));
let failures = 0;
for (let n = 0; n < Number(countText) && failures < 3; n++) {
  try {
    await attempt.answer(someAnswer(`${n} ${'x'.repeat(Number(sizeText))}`, n), []);
    say(`ack ${n}`);
  } catch (error) {
    failures++;
    say(`failed ${Reflect.get(error as object, 'code')}`);
    process.exitCode = 4;
  }
  if (Number(pauseText) > 0) await sleep(Number(pauseText));
}
journal.close();
