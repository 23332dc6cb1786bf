/** An eval whose model sells answers and writes each into an outside ledger, run by real processes. */
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTempDir } from '../sim/temp-dir.ts';
import { HOLD, hold, letGo } from './hold.ts';
import { filesBelow, type Started, startHoldfast } from './holdfast.ts';

export const SAMPLES = 16;

interface EvalText {
  readonly ledger: string;
  readonly samples?: number;
  readonly latencyMs?: number;
  readonly answerBytes?: number;
  readonly isCatching?: boolean;
  readonly extra?: string;
}

/** Two calls a sample. The model writes each answer that it sells to an outside ledger. */
const evalText = ({
  ledger,
  samples = SAMPLES,
  latencyMs = 0,
  answerBytes = 0,
  isCatching = false,
  extra = '',
}: EvalText) => `
import { appendFileSync } from 'node:fs';
import { defineEval, includes, mockModel } from 'holdfast';
${HOLD}
const model = mockModel({ name: 'mock/paid', async respond({ text, request }) {
  if (${latencyMs}) await pause(${latencyMs}, undefined, { signal: request.abortSignal });
  await untilLetGo(${JSON.stringify(ledger)}, request.abortSignal);
  appendFileSync(${JSON.stringify(ledger)}, text.slice(0, 20) + '\\n');
  return 'heard ' + text.slice(0, 20) + 'x'.repeat(${answerBytes});
} });
export default defineEval({
  name: 'paid',
  data: Array.from({ length: ${samples} }, (_, index) => ({ id: 's' + index, input: 'q' + index, target: 'q' + index })),
  models: { 'mock/paid': model },
  target: async ({ input }, { generate }) => {
    const ask = async (text) => {
      if (!${isCatching}) return (await generate(text)).text;
      for (let i = 0; i < 50; i++) { try { await generate(text + ' ' + i); } catch {} }
      return input;
    };
    await ask(input + ' first');
    return ask(input + ' second');
  },
  scorers: [includes()],
  concurrency: 4,
  ${extra}
});
`;

export const RUN = ['run', 'paid.eval.ts', '--model', 'mock/paid'];

export async function paidEval(options: Omit<EvalText, 'ledger'> = {}) {
  const dir = await makeTempDir();
  const ledger = join(dir.path, 'ledger');
  await writeFile(ledger, '');
  const write = (more: Omit<EvalText, 'ledger'>) =>
    writeFile(join(dir.path, 'paid.eval.ts'), evalText({ ledger, ...options, ...more }));
  await write({});
  return Object.assign(dir, {
    write,
    asked: () => readFileSync(ledger, 'utf8').split('\n').filter(Boolean),
    hold: (answers: number) => hold(ledger, answers),
    letGo: () => letGo(ledger),
    runDirs: () => readdirSync(join(dir.path, 'logs/.holdfast')).filter((name) => /^\d{8}T/.test(name)),
  });
}

type PaidEval = Awaited<ReturnType<typeof paidEval>>;

/** Starts a run and waits until so many answers were bought, by it and those before. It buys no more until it is let go, so it cannot end. */
export async function heldRun(
  dir: PaidEval,
  answers: number,
  flags: readonly string[] = [],
): Promise<Started> {
  dir.hold(answers);
  const started = startHoldfast(dir.path, [...RUN, ...flags]);
  while (dir.asked().length < answers) {
    if (started.child.exitCode !== null) throw new Error((await started.ended).stderr);
    await sleep(5);
  }
  return started;
}

/** Kills a run with SIGKILL when so many answers were bought, by it and those before. `isKept`: and are in its journal. */
export async function killedRun(
  dir: PaidEval,
  answers: number,
  flags: readonly string[] = [],
  { isKept = false }: { readonly isKept?: boolean } = {},
): Promise<void> {
  dir.hold(answers);
  const started = startHoldfast(dir.path, [...RUN, ...flags]);
  // One that has nothing to buy, since all of it is known, ends by itself.
  while (dir.asked().length < answers && started.child.exitCode === null) await sleep(5);
  while (isKept && answersIn(journalOf(dir.path)) < answers) await sleep(5);
  started.child.kill('SIGKILL');
  await started.ended;
  dir.letGo();
}

function answersIn(journal: string): number {
  using db = new DatabaseSync(journal, { readOnly: true });
  return Number(db.prepare('SELECT count(*) AS answers FROM answers').get()?.answers);
}

export function journalOf(dir: string, ending = ''): string {
  const [found] = filesBelow(join(dir, 'logs/.holdfast')).filter((name) =>
    name.endsWith(`journal.db${ending}`),
  );
  return join(dir, 'logs/.holdfast', found ?? 'none');
}
