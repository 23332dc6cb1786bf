/** Damage at the edges of a journal, from outside: real processes, SIGKILL, and an outside ledger for money. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { HOLD, hold, letGo } from './hold.ts';
import { type Ended, holdfast, reportOf, startHoldfast } from './holdfast.ts';

const SAMPLES = 10;

/** Three calls a sample, all different. The target says in `seen` which answers it was given. */
const evalText = (name: string, ledger: string) => `
import { appendFileSync } from 'node:fs';
import { defineEval, includes, mockModel } from 'holdfast';
${HOLD}
const model = mockModel({ name: 'mock/paid', async respond({ text, request }) {
  await untilLetGo(${JSON.stringify(ledger)}, request.abortSignal);
  appendFileSync(${JSON.stringify(ledger)}, text + '\\n');
  return { text: 'heard ' + text, usage: { inputTokens: 1000, outputTokens: 1000 } };
} });
export default defineEval({
  name: '${name}',
  data: Array.from({ length: ${SAMPLES} }, (_, index) => ({ id: index, input: '${name} q' + index, target: 'q' + index })),
  models: { 'mock/paid': model },
  target: async ({ input }, { generate }) => {
    let text = '';
    for (let turn = 0; turn < 3; turn++) {
      text = (await generate(input + ' turn ' + turn)).text;
      appendFileSync(${JSON.stringify(`${ledger}.seen`)}, input + ' turn ' + turn + '\\n');
    }
    return text;
  },
  scorers: [includes()],
  concurrency: 2,
});
`;

const PRICES = '{ "mock/paid": { "input": 1000, "output": 1000 } }';

async function paidEval() {
  const dir = await makeTempDir();
  const ledger = join(dir.path, 'ledger');
  for (const name of [ledger, `${ledger}.seen`]) await writeFile(name, '');
  for (const name of ['paid', 'other'])
    await writeFile(join(dir.path, `${name}.eval.ts`), evalText(name, ledger));
  await writeFile(join(dir.path, 'prices.json'), PRICES);
  const lines = (path: string) => readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const state = join(dir.path, 'logs/.holdfast');
  return Object.assign(dir, {
    asked: () => lines(ledger),
    hold: (answers: number) => hold(ledger, answers),
    letGo: () => letGo(ledger),
    /** Which answers had been acknowledged by now; and, asked later, those of them that were bought again. */
    acknowledged: () => {
      const [seen, bought] = [lines(`${ledger}.seen`), lines(ledger).length];
      const boughtAgain = () =>
        lines(ledger)
          .slice(bought)
          .filter((text) => seen.includes(text));
      return { count: seen.length, boughtAgain };
    },
    writers: () =>
      readdirSync(state, { withFileTypes: true })
        .filter(({ name }) => /^\d{8}T/.test(name))
        .flatMap(({ name }) => {
          const run = join(state, name);
          const folders = readdirSync(run, { withFileTypes: true }).filter((entry) => entry.isDirectory());
          return folders.map((folder) => join(run, folder.name));
        }),
  });
}
type PaidEval = Awaited<ReturnType<typeof paidEval>>;

const runOf = (name: string) => ['run', `${name}.eval.ts`, '--model', 'mock/paid', '--prices', 'prices.json'];
const RUN = runOf('paid');

/** Starts a run, waits until it has bought so many answers and can buy no more, does something, and kills it. */
async function killedRun(
  dir: PaidEval,
  answers: number,
  {
    before,
    flags = [],
  }: { before?: (ended: Promise<Ended>) => Promise<void>; flags?: readonly string[] } = {},
): Promise<Ended> {
  dir.hold(answers);
  const { child, ended } = startHoldfast(dir.path, [...RUN, ...flags]);
  while (dir.asked().length < answers && child.exitCode === null) await sleep(5);
  await before?.(ended);
  child.kill('SIGKILL');
  const killed = await ended;
  dir.letGo();
  return killed;
}

const damageOf = (ended: Ended) => JSON.stringify(reportOf(ended).runs[0]);

test('[JRN-13] a write-ahead log that is deleted under a run stops it, and costs nothing', async () => {
  await using dir = await paidEval();
  const before = async (ended: Promise<Ended>) => {
    rmSync(join(dir.writers()[0] ?? '', 'journal.db-wal'));
    dir.letGo();
    await ended;
  };
  await killedRun(dir, 8, { before });
  const acknowledged = dir.acknowledged();
  expect(dir.asked().length).toBeLessThan(SAMPLES * 3);
  const again = await holdfast(dir.path, [...RUN, '--json']);
  expect(again.code).toBe(0);
  expect(acknowledged.count).toBeGreaterThan(4);
  expect(acknowledged.boughtAgain()).toEqual([]);
});

test('[JRN-15] a writer whose folder is gone is not bought again in silence', async () => {
  await using dir = await paidEval();
  await killedRun(dir, 8);
  const [first = ''] = dir.writers();
  await killedRun(dir, 16);
  rmSync(first, { recursive: true });
  const list = await holdfast(dir.path, ['log', 'list']);
  expect(list.code).toBe(3);
  const again = await holdfast(dir.path, [...RUN, '--json']);
  expect(again.code).toBe(3);
  expect(reportOf(again).runs[0]?.answers?.lost).toBeGreaterThan(4);
  expect(reportOf(again).runs[0]?.usd?.lost).toBeGreaterThan(0);
  expect(damageOf(again)).toContain('is gone; it was there when writer');
});

test('[JRN-3] a journal without its database and its record costs nothing when another writer names the run', async () => {
  await using dir = await paidEval();
  await killedRun(dir, 8);
  const [first = ''] = dir.writers();
  await killedRun(dir, 16);
  const acknowledged = dir.acknowledged();
  for (const name of ['journal.db', 'record']) rmSync(join(first, name));
  for (const command of [
    ['log', 'list'],
    ['recover', '--list'],
  ])
    expect((await holdfast(dir.path, command)).code).toBe(3);
  const again = await holdfast(dir.path, [...RUN, '--json']);
  expect(again.code).toBe(3);
  expect(acknowledged.boughtAgain()).toEqual([]);
  expect(reportOf(again).runs[0]?.answers?.lost).toBe(0);
});

test('[JRN-3] a run of which every record is gone is told by its attempts, and is nobody else’s business', async () => {
  await using dir = await paidEval();
  await killedRun(dir, 8);
  const acknowledged = dir.acknowledged();
  const [only = ''] = dir.writers();
  for (const name of ['journal.db', 'record']) rmSync(join(only, name));
  const list = await holdfast(dir.path, ['recover', '--list']);
  expect(list.code).toBe(3);
  const [, command = ''] = /holdfast (recover \S+)/.exec(list.stdout) ?? [];
  const recovered = await holdfast(dir.path, [...command.split(' '), '--keep', '--output', 'saved.eval']);
  expect(recovered.code).toBe(3);
  expect(recovered.stdout).toContain('saved.eval');
  expect((await holdfast(dir.path, ['log', 'verify', 'saved.eval'])).code).toBe(0);
  expect((await holdfast(dir.path, runOf('other'))).code).toBe(0);
  const again = await holdfast(dir.path, [...RUN, '--json']);
  expect(again.code).toBe(3);
  expect(acknowledged.boughtAgain()).toEqual([]);
  const kept = readdirSync(join(dir.path, 'logs/.holdfast/damaged'));
  expect(kept).toHaveLength(1);
  // What was set aside can be read, by its id and by its place.
  for (const named of [kept[0] ?? '', join('logs/.holdfast/damaged', kept[0] ?? '')]) {
    const aside = await holdfast(dir.path, ['recover', named, '--output', `${named.length}.eval`]);
    expect(aside.stdout).toContain(`${named.length}.eval`);
  }
  expect(readdirSync(join(dir.path, 'logs/.holdfast/damaged'))).toEqual(kept);
});

test('[JRN-11] a run of which nothing can be read is listed as damaged, without a command that could not work', async () => {
  await using dir = await paidEval();
  await killedRun(dir, 8);
  const [only = ''] = dir.writers();
  for (const name of ['journal.db', 'journal.db-wal', 'record']) rmSync(join(only, name), { force: true });
  for (const command of [
    ['recover', '--list'],
    ['log', 'list'],
  ]) {
    const list = await holdfast(dir.path, command);
    expect(list.code).toBe(3);
    expect(list.stdout).not.toContain('holdfast recover');
  }
  const runId = only.split('/').at(-2) ?? '';
  const refused = await holdfast(dir.path, ['recover', runId, '--force-dead']);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('Nothing can be recovered from');
});

test('[JRN-15] a chain of segments that is gone, or damaged, is not bought again in silence: its price is told', async () => {
  await using dir = await paidEval();
  const flags = ['--segments', 'bucket'];
  await killedRun(dir, 9, { flags });
  const [first = ''] = dir.writers().map((place) => place.split('/').at(-1) ?? '');
  await killedRun(dir, 18, { flags });
  rmSync(join(dir.path, 'logs'), { recursive: true });
  const runs = join(dir.path, 'bucket/.holdfast');
  for (const run of readdirSync(runs)) rmSync(join(runs, run, 'segments', first), { recursive: true });
  const again = await holdfast(dir.path, [...RUN, ...flags, '--force-dead', '--json']);
  expect(again.code).toBe(3);
  // Its record came home without any rows.
  expect(damageOf(again)).toContain(`writer ${first} is shorter than when writer`);
  expect(reportOf(again).runs[0]?.usd?.lost).toBeGreaterThan(0);
});
