import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { EvalDefinition } from '../../src/evals/index.ts';
import { mockModel } from '../../src/targets/index.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, type Finding, rounded } from './bench.ts';
import { openBenchRun } from './bench-run.ts';

const TURNS = [50, 100, 200] as const;
/** What each turn adds: a tool's result to read, and what the model says to it. */
const TURN_BYTES = 2_000;
/** Four times the turns may take this many times the bytes for each new byte. */
const GROWTH_MAX = 1.5;

/** An agent that sends its whole history at every turn: what is stored must grow with what is new. */
export const histories: Bench = {
  name: 'histories',
  about: 'bytes of the journal and time of an agent that sends its whole history at each of 200 turns',
  async run() {
    await measure(TURNS[0]); // The engine compiles what is measured.
    const found: Measured[] = [];
    for (const turns of TURNS) found.push(await measure(turns));
    return [bytesFinding(found), timeFinding(found)];
  },
};

interface Measured {
  readonly turns: number;
  readonly newBytes: number;
  /** What the rows of the journal hold; the file has pages that are not full. */
  readonly rowBytes: number;
  readonly fileBytes: number;
  readonly cpuMs: number;
}

async function measure(turns: number): Promise<Measured> {
  await using dir = await makeTempDir();
  const name = 'mock/agent';
  const run = await openBenchRun({
    definition: agentOf(turns),
    concurrency: 1,
    dir: dir.path,
    model: { name, model: mockModel({ name, respond: ({ turn }) => textOf('answer', turn) }) },
  });
  const journal = await run.createJournal();
  const { path } = journal.reader;
  const before = process.cpuUsage();
  await run.execute(journal);
  const { user, system } = process.cpuUsage(before);
  journal.close();
  await run.close();
  return {
    turns,
    newBytes: turns * TURN_BYTES,
    rowBytes: rowBytesOf(path),
    fileBytes: statSync(path).size,
    cpuMs: (user + system) / 1_000,
  };
}

function agentOf(turns: number): EvalDefinition {
  return {
    name: 'agent',
    data: [{ id: 1, input: 'Begin.', target: '' }],
    target: async (_sample, { generate }) => {
      const messages: { role: 'user' | 'assistant'; content: string }[] = [];
      for (let turn = 0; turn < turns; turn++) {
        messages.push({ role: 'user', content: textOf('result', turn) });
        const { text } = await generate({ messages });
        messages.push({ role: 'assistant', content: text });
      }
      return 'done';
    },
    scorers: [],
  };
}

function textOf(what: string, turn: number): string {
  return `${what} ${turn} `.padEnd(TURN_BYTES / 2, `${what} of turn ${turn}, `);
}

function rowBytesOf(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const sum = (sql: string) => Number(db.prepare(sql).get()?.bytes ?? 0);
    return (
      sum('SELECT sum(length(text) + length(hash)) AS bytes FROM contents') +
      sum('SELECT sum(length(json)) AS bytes FROM events') +
      sum("SELECT sum(length(coalesce(hash, '')) + length(coalesce(text, ''))) AS bytes FROM links") +
      sum('SELECT sum(length(digest) + length(data)) AS bytes FROM answers') +
      sum('SELECT sum(length(data)) AS bytes FROM attempts') +
      sum("SELECT sum(length(coalesce(summary, '')) + length(data)) AS bytes FROM results")
    );
  } finally {
    db.close();
  }
}

function bytesFinding(found: readonly Measured[]): Finding {
  const perNewByte = found.map(({ rowBytes, newBytes }) => rowBytes / newBytes);
  return {
    what: 'journal bytes for each new byte at 200 turns, as a multiple of those at 50',
    measured: (perNewByte.at(-1) ?? Number.NaN) / (perNewByte[0] ?? Number.NaN),
    atMost: GROWTH_MAX,
    figures: { found },
    line: found
      .map(
        ({ turns, newBytes, rowBytes }) =>
          `${turns} turns: ${rowBytes} bytes for ${newBytes} new (${rounded(rowBytes / newBytes)}×)`,
      )
      .join(', '),
  };
}

function timeFinding(found: readonly Measured[]): Finding {
  const perTurn = found.map(({ cpuMs, turns }) => cpuMs / turns);
  const [first = Number.NaN] = perTurn;
  const last = perTurn.at(-1) ?? Number.NaN;
  return {
    what: 'processor time of a turn at 200 turns, as a multiple of that at 50',
    measured: last / first,
    atMost: 4,
    figures: {
      cpuMsPerTurn: Object.fromEntries(found.map(({ turns, cpuMs }) => [turns, rounded(cpuMs / turns, 3)])),
    },
    line: found
      .map(
        ({ turns, cpuMs }) => `${turns} turns: ${rounded(cpuMs, 0)} ms, ${rounded(cpuMs / turns)} ms a turn`,
      )
      .join(', '),
  };
}
