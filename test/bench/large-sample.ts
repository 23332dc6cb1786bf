import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, MB, rounded } from './bench.ts';
import { NOTE_MEMORY, readNotes } from './memory-notes.ts';
import { holdfast } from './published.ts';

const EVENTS = 300_000;
const EVENT_BYTES = 3_000;
const PEAK_MB_MAX = 500;

/** Memory of a run whose one sample is larger than V8's longest string. */
export const largeSample: Bench = {
  name: 'large',
  about: `resident memory while one sample of ${EVENTS} events and ${(EVENTS * EVENT_BYTES) / 1e6} MB is run, sealed and verified`,
  async run({ scale }) {
    const events = Math.round(EVENTS * scale);
    await using dir = await makeTempDir();
    const evalFile = join(dir.path, 'large.eval.js');
    writeFileSync(evalFile, evalSource(events));
    await holdfast(['run', evalFile, '--log-dir', join(dir.path, 'logs'), '--quiet']);
    const notes = readNotes(dir.path);
    const [start, emitted, end] = notes;
    const peakMb = (end?.peakBytes ?? Number.NaN) / MB;
    const journaledMb = (emitted?.peakBytes ?? Number.NaN) / MB;
    const journalMs = rounded((emitted?.ms ?? Number.NaN) - (start?.ms ?? 0), 0);
    const sealMs = rounded((end?.ms ?? Number.NaN) - (emitted?.ms ?? 0), 0);
    return [
      {
        what: 'peak resident memory in MB',
        measured: rounded(peakMb, 0),
        atMost: PEAK_MB_MAX,
        figures: { events, jsonBytes: events * EVENT_BYTES, peakMb, journaledMb, journalMs, sealMs },
        line: `${rounded((events * EVENT_BYTES) / 1e6, 0)} MB of events: ${rounded(journaledMb, 0)} MB while they were journaled (${journalMs} ms), ${rounded(peakMb, 0)} MB with sealing and verifying (${sealMs} ms)`,
      },
    ];
  },
};

/** Every event has a text of its own, so nothing is saved by storing equal texts once. */
function evalSource(events: number): string {
  return `${NOTE_MEMORY}
import { defineEval } from 'holdfast';
export default defineEval({
  name: 'large-sample',
  data: [{ input: 'Talk.', target: 'done' }],
  target: async (_, { info }) => {
    for (let event = 0; event < ${events}; event++) {
      info({ event, text: \`\${event} \`.padEnd(${EVENT_BYTES - 250}, \`word \${event * 7919} \`) });
      // An agent waits for something now and then.
      if (event % 100 === 0) await new Promise(setImmediate);
    }
    note(${events});
    return 'done';
  },
  scorers: [],
});
`;
}
