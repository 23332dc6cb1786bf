import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runRecord, sampleFields, sampleStart } from '../../test/sim/journal-fixture.ts';
import { fixtureFields, writeFixtureLog } from '../../test/sim/log-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { sampleKeyText, systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { createWriter, type JournalReader, RunJournals, readJournal } from '../journal/index.ts';
import { directoryLogStore, type LogStore, summarize } from '../log/index.ts';
import { nameOfChosen, planSeal } from './index.ts';

const BOOM = { message: 'boom', traceback: '', traceback_ansi: '' };
const LENDERS: Readonly<Record<string, readonly string[]>> = {
  'one.eval': ['a', 'b'],
  'two.eval': ['a', 'c'],
};

/** What writers do: attempts at samples, each with its end; copies of what was there before; samples that logs lend. */
const sample = { id: fc.constantFrom('a', 'b', 'c'), epoch: fc.constantFrom(1, 2) };
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ ...sample, status: fc.constantFrom('completed', 'errored', undefined) }),
  },
  { weight: 1, arbitrary: fc.record({ copy: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({ ...sample, lender: fc.constantFrom(...Object.keys(LENDERS), 'gone.eval') }),
  },
);
/** A writer comes after all that are there, or beside the one before it. */
const writers = fc.array(fc.record({ isBeside: fc.boolean(), steps: fc.array(step, { maxLength: 6 }) }), {
  minLength: 1,
  maxLength: 4,
});
type Recorded = typeof writers extends fc.Arbitrary<infer T> ? T : never;

/** A row of a journal as the test itself remembers it. */
interface Row {
  readonly place: readonly [generation: number, n: number];
  readonly origin: string;
  readonly name: string;
  readonly status: 'completed' | 'errored' | undefined;
}
interface Lent {
  readonly writer: string;
  readonly name: string;
  readonly log: string;
}

test('[SEAL-2] whatever the order of journals, the best of each sample is chosen and counted once, be it copied, lent or failed', async () => {
  await using logDir = await makeTempDir();
  const logs = directoryLogStore(nodeDisk, logDir.path);
  for (const [log, ids] of Object.entries(LENDERS))
    await writeFixtureLog(nodeDisk, join(logDir.path, log), {
      samples: ids.map((id) => ({ fields: fixtureFields(id), events: [] })),
    });
  await fc.assert(
    fc.asyncProperty(writers, async (recorded) => {
      await using dir = await makeTempDir();
      const { readers, rows, lent } = await record(recorded, dir.path);
      const expected = bestOf(rows, lent);
      for (const order of permutations(readers)) expect(await choicesOf(order, logs)).toEqual(expected);
      for (const reader of readers) reader.close();
    }),
    { numRuns: 25 },
  );
});

async function record(recorded: Recorded, runDir: string) {
  const run = runRecord();
  const readers: JournalReader[] = [];
  const rows: Row[] = [];
  let lent: Lent[] = [];
  let after: string[] = [];
  let generation = 1;
  for (const [index, { isBeside, steps }] of recorded.entries()) {
    if (index > 0 && !isBeside) {
      after = readers.map((reader) => reader.writer().writer);
      generation++;
      lent = []; // [JRN-16]
    }
    const name = `w${index}`;
    const writer = await createWriter({
      runDir,
      run,
      writer: { writer: name, generation, after, reuse: 'same' },
      ports: { disk: nodeDisk, clock: systemClock },
    });
    const copyable = rows.filter(({ place, status }) => place[0] < generation && status !== undefined);
    const reused = new Set<string>();
    let n = 0;
    for (const did of steps) {
      if ('lender' in did) {
        const { id, epoch, lender: log } = did;
        if (reused.has(sampleKeyText(id, epoch))) continue; // a writer says this once for a sample
        reused.add(sampleKeyText(id, epoch));
        const summary = { ...summarize(sampleFields(id)), epoch };
        writer.recordReuse({ id, epoch, log, runId: log, mode: 'same', summary });
        lent.push({ writer: name, name: sampleKeyText(id, epoch), log });
      } else if ('copy' in did) {
        const row = copyable[did.copy % Math.max(1, copyable.length)];
        const source = readers.find((reader) => row?.origin.includes(`/${reader.writer().writer}/`));
        if (!row || !source) continue;
        writer.copyFrom(source, [Number(row.origin.split('/').at(-1))]);
        rows.push({ ...row, place: [generation, ++n] });
      } else {
        const { id, epoch, status } = did;
        const started = writer.startAttempt(sampleStart(id, epoch));
        const more = status === 'errored' ? { epoch, error: BOOM } : { epoch };
        if (status) await started.finish(status, sampleFields(id, more));
        const origin = `${run.runId}/${name}/${++n}`;
        rows.push({ place: [generation, n], origin, name: sampleKeyText(id, epoch), status });
      }
    }
    await writer.flush();
    writer.close();
    readers.push(readJournal(`${writer.dir}/journal.db`));
  }
  return { readers, rows, lent };
}

/** The same by hand: complete before all else, the first of them; then what is lent; then the last failure; then the last. */
function bestOf(rows: readonly Row[], lent: readonly Lent[]): Readonly<Record<string, string>> {
  // A copy is the attempt that it was made of, where that began.
  const attempts = rows.filter(
    (row, index) => rows.findIndex(({ origin }) => origin === row.origin) === index,
  );
  const whole = lent.filter(({ name, log }) => LENDERS[log]?.some((id) => sampleKeyText(id, 1) === name));
  const best: Record<string, string> = {};
  for (const name of new Set([...attempts, ...whole].map((one) => one.name))) {
    const own = attempts.filter((row) => row.name === name).sort(byPlace);
    const complete = own.find(({ status }) => status === 'completed');
    const [log] = whole
      .filter((one) => one.name === name)
      .map((one) => one.log)
      .sort();
    const failures = own.filter(({ status }) => status === 'errored');
    const last = lastOf(failures.length > 0 ? failures : own);
    best[name] = complete?.origin ?? log ?? last?.origin ?? '';
  }
  return best;
}

function byPlace(a: Row, b: Row): number {
  return a.place[0] - b.place[0] || a.place[1] - b.place[1] || (a.origin < b.origin ? -1 : 1);
}

/** Of those at the same place in journals side by side, the first by name. */
function lastOf(rows: readonly Row[]): Row | undefined {
  const last = rows.at(-1);
  return rows.find(({ place }) => place[0] === last?.place[0] && place[1] === last.place[1]);
}

async function choicesOf(readers: readonly JournalReader[], logs: LogStore): Promise<Record<string, string>> {
  const plan = await planSeal(new RunJournals(readers, { runDir: logs.place, unreadable: [] }), logs);
  const chosen: Record<string, string> = {};
  for (const choice of plan.choices) {
    expect(chosen).not.toHaveProperty([nameOfChosen(choice)]);
    chosen[nameOfChosen(choice)] =
      choice.from === 'log' ? choice.row.log : (choice.source.attempt(choice.attempt.n)?.origin ?? '');
  }
  const { completed, reused, errored, interrupted } = plan.counts;
  expect(completed + reused + errored + interrupted).toBe(plan.choices.length);
  expect(reused).toBe([...plan.choices].filter(({ from }) => from === 'log').length);
  expect(plan.completed.size).toBe(completed + reused);
  return chosen;
}

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}
