import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type JournalReader, readJournal } from '../../src/journal/index.ts';
import { infoEvent, newWriter, runRecord, sampleFields, sampleStart, someAnswer } from './journal-fixture.ts';

/** How many attempts it has; each bought three answers, and every sixth is under way. */
export const CRASHED_SAMPLES = 24;
/** What stands in the long texts of an attempt, and nowhere else. */
export const textOfCrashed = (id: number) => ` text of ${id} `;

/** What each attempt of a journal holds, as text, by its number. */
export type JournalContents = ReadonlyMap<number, string>;

/** A journal as a crash leaves it, in `<dir>/original`: some of it in the database, some in the write-ahead log. */
export async function crashedJournal(
  dir: string,
): Promise<{ readonly original: string; readonly expected: JournalContents }> {
  const writer = await newWriter(join(dir, 'state'), runRecord());
  for (let id = 0; id < CRASHED_SAMPLES; id++) {
    const attempt = writer.startAttempt(sampleStart(id));
    const long = textOfCrashed(id).repeat(30 + 500 * (id % 3));
    attempt.event({
      event: 'model',
      timestamp: '2026-01-01T00:00:00+00:00',
      model: 'm',
      input: [
        { role: 'user', content: long },
        { role: 'user', content: `short ${id}` },
      ],
      output: { choices: [] },
    });
    for (let turn = 0; turn < 3; turn++)
      await attempt.answer(someAnswer({ text: `${turn} ${long}` }, turn), [infoEvent(`${id} ${turn}`)]);
    if (id % 6 !== 5) await attempt.finish('completed', sampleFields(id));
    if (id === CRASHED_SAMPLES / 2) writer.checkpoint();
  }
  const original = join(dir, 'original');
  cpSync(writer.dir, original, { recursive: true, filter: (path) => !path.endsWith('/lock') });
  writer.close();
  const reader = readJournal(join(original, 'journal.db'));
  expect(reader.damage().sentences).toEqual([]);
  const expected = contentsOfJournal(reader);
  reader.close();
  return { original, expected };
}

/** Everything that a reader gives of each attempt. */
export function contentsOfJournal(reader: JournalReader): JournalContents {
  const found = new Map<number, string>();
  for (const { n, status, origin } of reader.outline()) {
    const events = [...reader.events(n)].map((json) => reader.expandEvent(n, json));
    const parts = [reader.attempt(n), status, origin, events, [...reader.answers(n)], reader.result(n)];
    found.set(n, JSON.stringify([...parts, [...reader.pool(n, 'message')], [...reader.attachments(n)]]));
  }
  return found;
}

/**
 * What must hold after any damage: every answer that is given is one that was recorded, every attempt is as it was or is
 * named, and no damaged one counts as completed. Gives the attempts that are as they were.
 */
export function expectHonest(
  reader: JournalReader,
  expected: JournalContents,
  what: string,
): { readonly whole: ReadonlySet<number> } {
  const damage = reader.damage();
  const found = contentsOfJournal(reader);
  const whole = new Set<number>();
  for (const [n, text] of expected) {
    if (found.get(n) === text) {
      whole.add(n);
      continue;
    }
    expect(damage.sentences.length, `${what}: attempt ${n} differs, and nothing is said`).toBeGreaterThan(0);
    if (!found.has(n)) continue;
    expect(reader.result(n), `${what}: attempt ${n} is damaged but has a result`).toBeUndefined();
    for (const { value, occurrence } of reader.answers(n)) {
      const right = JSON.parse(text)[4][occurrence].value;
      expect(value, `${what}: a wrong answer of attempt ${n}`).toEqual(right);
    }
  }
  for (const n of found.keys()) expect(expected.has(n), `${what}: attempt ${n} never was`).toBe(true);
  return { whole };
}
