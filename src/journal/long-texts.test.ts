import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { exactJson, type Json } from '../base/index.ts';
import { hashesIn, putBackTexts, takeOutTexts } from './long-texts.ts';
import { readJournal } from './read-journal.ts';

const dir = useTempDir();

const LOOKALIKE = `attachment://${'0'.repeat(32)}`;
/** Texts that look like references where none can be: in keys, and at the end of other strings. */
const HOSTILE: Json = {
  [LOOKALIKE]: 1,
  [`\\"${LOOKALIKE}`]: 2,
  quoted: `say "${LOOKALIKE}`,
  slashed: `say \\"${LOOKALIKE}`,
  deep: [{ [LOOKALIKE]: [] }],
};

test('a key that looks like a reference does not make a whole journal count as damaged', async () => {
  const run = runRecord();
  const writer = await newWriter(dir.path, run);
  const start = sampleStart('a');
  const attempt = writer.startAttempt({ ...start, sample: { ...start.sample, metadata: HOSTILE } });
  await attempt.answer(someAnswer(HOSTILE), []);
  await attempt.finish('completed', sampleFields('a', { metadata: HOSTILE }));
  const next = await newWriter(dir.path, run, { generation: 2 });
  next.copyFrom(writer.reader, [1]);
  for (const one of [writer, next]) {
    one.close();
    const reader = readJournal(one.reader.path);
    expect(reader.damage().sentences).toEqual([]);
    expect(reader.result(1)?.fields.metadata).toEqual(HOSTILE);
    expect([...reader.answers(1)].map(({ value }) => value)).toEqual([HOSTILE]);
    reader.close();
  }
});

test('a document names exactly the texts that were taken out of it', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom(LOOKALIKE, `"${LOOKALIKE}`, `${LOOKALIKE}"`, `\\"${LOOKALIKE}`, 'x'.repeat(101), '\\'),
  );
  const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, text, fc.array(tie('tree')), fc.dictionary(text, tie('tree'))),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const found = new Map<string, string>();
      const stored = takeOutTexts(value, (hash, whole) => found.set(hash, whole));
      expect(new Set(hashesIn(exactJson(stored)))).toEqual(new Set(found.keys()));
      expect(putBackTexts(stored, (hash) => found.get(hash) ?? '')).toEqual(value);
    }),
  );
});
