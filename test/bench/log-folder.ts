import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { inOrder, type RunId, systemClock } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { directoryLogStore } from '../../src/log/index.ts';
import { listAll } from '../../src/sources/list-all.ts';
import { logSource } from '../../src/sources/log-source.ts';
import { openRowMemory } from '../../src/sources/row-memory.ts';
import { fixtureEvent, fixtureFields, fixtureSpec, writeFixtureLog } from '../sim/log-fixture.ts';
import { runIdAt } from '../sim/results-repo.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, rounded } from './bench.ts';
import { holdfast } from './published.ts';

const LOGS = 1_500;
const SAMPLES = 20;
const EVENTS = 10;
const FIRST_MS_MAX = 1_500;
const AGAIN_MS_MAX = 100;
const AGAIN_TIMES = 5;

/** A folder of logs as a source of runs: the first look reads every header, the next ones read what was remembered. */
export const logFolder: Bench = {
  name: 'log-folder',
  about: 'a folder of 1,500 logs is listed for the first time, and again',
  async run({ scale }) {
    await using dir = await makeTempDir();
    const logs = join(dir.path, 'logs');
    mkdirSync(join(logs, '.holdfast'), { recursive: true });
    const count = Math.round(LOGS * scale);
    const runs = Array.from({ length: count }, (_, n) =>
      runIdAt(new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(), n),
    );
    for await (const _ of inOrder(runs, { atATime: 8, work: (run) => writeLog(logs, run) }));
    const first = await look(logs, count);
    const again: number[] = [];
    for (let n = 0; n < AGAIN_TIMES; n++) again.push(await look(logs, count));
    const listed = await holdfast(['results', 'list', '--log-dir', logs]);
    const start = await holdfast(['--help']);
    const figures = {
      logs: count,
      samples: SAMPLES,
      firstMs: first,
      againMs: again,
      commandMs: listed.ms,
      helpMs: start.ms,
    };
    const said = `${count} logs of ${SAMPLES} samples: first ${rounded(first)} ms, again ${again.map((ms) => rounded(ms)).join(', ')} ms; the command ${rounded(listed.ms)} ms beside ${rounded(start.ms)} ms of --help`;
    return [
      { what: 'ms of the first look', line: said, measured: first, atMost: FIRST_MS_MAX, figures },
      { what: 'ms of another look', line: said, measured: Math.min(...again), atMost: AGAIN_MS_MAX, figures },
    ];
  },
};

/** As a process does that begins, lists all and ends. */
async function look(dir: string, count: number): Promise<number> {
  const begun = performance.now();
  const memory = await openRowMemory({
    disk: nodeDisk,
    place: dir,
    beside: join(dir, '.holdfast/run-rows-2.db'),
  });
  await using source = logSource(directoryLogStore(nodeDisk, dir), { clock: systemClock, memory });
  const { runs } = await listAll([source], { limit: count });
  if (runs.length !== count || runs.some(({ row }) => !row))
    throw new Error(`Only ${runs.length} logs were listed.`);
  return performance.now() - begun;
}

async function writeLog(dir: string, run: RunId): Promise<void> {
  const created = new Date(Date.UTC(2026, 0, 1)).toISOString();
  const path = join(dir, `${created.replace(/[:.]/g, '-')}_capitals_${run}.eval`);
  const score = {
    name: 'exact',
    scorer: 'exact',
    params: {},
    metrics: { accuracy: { name: 'accuracy', value: 0.5, params: {} } },
  };
  await writeFixtureLog(nodeDisk, path, {
    header: {
      eval: fixtureSpec({ run_id: run, created }),
      results: { total_samples: SAMPLES, completed_samples: SAMPLES, scores: [score] },
    },
    samples: Array.from({ length: SAMPLES }, (_, n) => ({
      fields: fixtureFields(n),
      events: Array.from({ length: EVENTS }, (_, at) =>
        fixtureEvent({ event: 'info', data: `event ${at} of ${n} in ${run}` }),
      ),
    })),
  });
  // As old as logs usually are when somebody looks.
  utimesSync(path, new Date(created), new Date(created));
}
