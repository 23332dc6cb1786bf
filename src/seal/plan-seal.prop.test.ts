import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runRecord, sampleFields } from '../../test/sim/journal-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { type Digest, systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { createWriter, type JournalReader, RunJournals, readJournal } from '../journal/index.ts';
import { directoryLogStore } from '../log/index.ts';
import { nameOfChosen, planSeal } from './index.ts';

/** What one writer recorded: attempts at samples, each with its end. */
const attempt = fc.record({
  id: fc.constantFrom('a', 'b', 'c'),
  status: fc.constantFrom('completed' as const, 'errored' as const, undefined),
});
const writers = fc.array(
  fc.record({ generation: fc.integer({ min: 1, max: 3 }), attempts: fc.array(attempt, { maxLength: 4 }) }),
  { minLength: 1, maxLength: 4 },
);

test('[SEAL-2] whatever the order of journals, the same attempts are chosen, and each sample is counted once', async () => {
  await fc.assert(
    fc.asyncProperty(writers, fc.integer(), async (recorded, seed) => {
      await using dir = await makeTempDir();
      const readers: JournalReader[] = [];
      const run = runRecord();
      for (const [index, { generation, attempts }] of recorded.entries()) {
        const writer = await createWriter({
          runDir: dir.path,
          run,
          writer: { writer: `w${index}`, generation, after: [], reuse: 'same' },
          ports: { disk: nodeDisk, clock: systemClock },
        });
        for (const [n, { id, status }] of attempts.entries()) {
          const started = writer.startAttempt({
            id,
            epoch: 1,
            key: 'k' as Digest,
            uuid: `${index} ${n}`,
            startedAt: '2026-01-01T00:00:00+00:00',
            sample: { input: id, target: '', metadata: {} },
          });
          const error = { message: 'boom', traceback: '', traceback_ansi: '' };
          if (status) await started.finish(status, sampleFields(id, status === 'errored' ? { error } : {}));
        }
        await writer.flush();
        writer.close();
        readers.push(readJournal(`${writer.dir}/journal.db`));
      }
      const logs = directoryLogStore(nodeDisk, dir.path);
      const plans = [];
      for (const order of [readers, [...readers].reverse(), rotated(readers, seed)]) {
        const plan = await planSeal(new RunJournals(order, { runDir: dir.path, unreadable: [] }), logs);
        plans.push({
          counts: plan.counts,
          choices: [...plan.choices].map((chosen) =>
            chosen.from === 'journal'
              ? [nameOfChosen(chosen), chosen.source.attempt(chosen.attempt.n)?.uuid, chosen.attempt.status]
              : [],
          ),
        });
      }
      expect(plans[1]).toEqual(plans[0]);
      expect(plans[2]).toEqual(plans[0]);
      const { counts, choices } = plans[0] ?? {};
      expect(new Set(choices?.map(([name]) => name)).size).toBe(choices?.length);
      const { completed = 0, errored = 0, interrupted = 0 } = counts ?? {};
      expect(completed + errored + interrupted).toBe(choices?.length);
      for (const reader of readers) reader.close();
    }),
    { numRuns: 25 },
  );
});

function rotated<T>(items: readonly T[], seed: number): readonly T[] {
  const by = Math.abs(seed) % items.length;
  return [...items.slice(by), ...items.slice(0, by)];
}
