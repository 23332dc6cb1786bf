import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnswerOf, ROUTES, type RouteName } from '../../src/server/api.ts';
import { runIdAt } from '../sim/results-repo.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { writeAgentLog, writeLongMessageLog } from './agent-log.ts';
import { type Bench, type Finding, MB, median, rounded } from './bench.ts';
import { type StudioServer, startStudio } from './studio-server.ts';

const EVENTS = 300_000;
const LONG_UNITS = 100_000_000;
const TRIES = 3;
const PEAK_MB_MAX = 400;

/** How soon a transcript that is as long as they come can be read: what the server does of it, without a browser. */
export const studioSample: Bench = {
  name: 'studio-sample',
  about: `the Studio's server on a sample of ${EVENTS} events and 127 MB, and on a message of 100 MB: rows, bodies, finding, memory`,
  async run({ scale }) {
    await using dir = await makeTempDir();
    const events = Math.round(EVENTS * scale);
    return [
      ...(await openLong(dir.path, events)),
      ...(await openLongMessage(dir.path, Math.round(LONG_UNITS * scale))),
    ];
  },
};

interface Opened {
  readonly firstRowsMs: number;
  readonly bodiesMs: number;
  readonly wholeMs: number;
  readonly sampleMs: number;
  readonly findMs: number;
  readonly peakMb: number;
  /** What the server computed until all rows were there: on a busy machine this says more than the clock. */
  readonly cpuMs: number;
}

async function openLong(dir: string, events: number): Promise<readonly Finding[]> {
  const logs = join(dir, 'long');
  mkdirSync(logs);
  const run = runIdAt('2026-03-01T00:00:00Z', 1);
  // The note of the turn in which five sixths of all events are over.
  const needle = { text: 'the one occurrence', event: Math.floor((events * 5) / 36) * 6 + 3 };
  const sizeBytes = await writeAgentLog(join(logs, `${run}.eval`), { run, events, needle });
  const tries: Opened[] = [];
  for (let n = 0; n < TRIES; n++) {
    await using server = await startStudio([logs]);
    // The list of runs is there before anybody opens one.
    await server.ask('/api/runs?limit=1');
    tries.push(await openOnce(server, { run, events, needle }));
  }
  const of = (pick: (one: Opened) => number) => median(tries.map(pick));
  const mb = rounded(sizeBytes / 1e6, 0);
  const figures = { events, sizeBytes, tries };
  const about = `of ${mb} MB and ${events} events`;
  return [
    finding(
      `first rows ${about}, in ms`,
      of((one) => one.firstRowsMs),
      500,
      figures,
    ),
    finding(
      `first bodies ${about}, in ms`,
      of((one) => one.bodiesMs),
      1_500,
      figures,
    ),
    finding(
      `scores and fields ${about}, in ms`,
      of((one) => one.sampleMs),
      1_500,
      figures,
    ),
    finding(
      `all rows ${about}, in ms`,
      of((one) => one.wholeMs),
      4_000,
      figures,
    ),
    finding(
      'processor time until all rows are there, in ms',
      of((one) => one.cpuMs),
      5_000,
      figures,
    ),
    finding(
      `finding what is at event ${needle.event}, in ms`,
      of((one) => one.findMs),
      1_500,
      figures,
    ),
    finding('memory of the server, in MB', Math.max(...tries.map((one) => one.peakMb)), PEAK_MB_MAX, figures),
  ];
}

function finding(what: string, measured: number, atMost: number, figures: Finding['figures']): Finding {
  return { what, measured, atMost, figures, line: `${rounded(measured, 0)}` };
}

async function openOnce(
  server: StudioServer,
  about: {
    readonly run: string;
    readonly events: number;
    readonly needle: { readonly text: string; readonly event: number };
  },
): Promise<Opened> {
  const path = `/api/runs/${about.run}/samples/long/1`;
  const cpuFrom = cpuMsOf(server);
  const from = performance.now();
  const since = () => performance.now() - from;
  const first = await get(server, 'skeleton', `${path}/skeleton`);
  const firstRowsMs = since();
  const bodies = get(server, 'events', `${path}/events?limit=50`).then(since);
  const sample = get(server, 'sample', path).then(since);
  let [known, isWhole] = [first.columns.kind.length, first.isWhole];
  while (!isWhole || known < about.events) {
    const part = await get(server, 'skeleton', `${path}/skeleton?from=${known}&limit=50000`);
    known += part.columns.kind.length;
    isWhole = part.isWhole;
  }
  const wholeMs = since();
  const cpuMs = cpuMsOf(server) - cpuFrom;
  const [bodiesMs, sampleMs] = await Promise.all([bodies, sample]);
  const findFrom = performance.now();
  const answer = await fetch(`${server.url}${path}/find?text=${encodeURIComponent(about.needle.text)}`);
  const lines = (await answer.text()).trim().split('\n');
  const hits = lines.flatMap((line) => ROUTES.find.answer.parse(JSON.parse(line)).hits);
  if (hits.length !== 1 || hits[0]?.event !== about.needle.event)
    throw new Error(`found ${JSON.stringify(hits)}`);
  const findMs = performance.now() - findFrom;
  const peakMb = server.memory().peakBytes / MB;
  return { firstRowsMs, bodiesMs, wholeMs, sampleMs, findMs, peakMb, cpuMs };
}

function cpuMsOf({ child }: StudioServer): number {
  const [, rest = ''] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ');
  const [user, system] = rest.split(' ').slice(11, 13).map(Number);
  // The kernel's unit for the time of a process, on all that Node runs on.
  return ((user ?? 0) + (system ?? 0)) * 10;
}

async function openLongMessage(dir: string, units: number): Promise<readonly Finding[]> {
  const logs = join(dir, 'message');
  mkdirSync(logs);
  const run = runIdAt('2026-03-01T00:00:00Z', 1);
  await writeLongMessageLog(join(logs, `${run}.eval`), run, units);
  await using server = await startStudio([logs]);
  await server.ask('/api/runs?limit=1');
  const path = `/api/runs/${run}/samples/long/1`;
  const before = server.memory().nowBytes / MB;
  const from = performance.now();
  const page = await get(server, 'messages', `${path}/messages`);
  const messageMs = performance.now() - from;
  const [message] = page.messages as [{ content: { $cut: { at: string; length: number } } }];
  const { at, length } = message.content.$cut;
  if (length !== units) throw new Error(`the message has ${length} characters`);
  await get(server, 'events', `${path}/events`);
  const endFrom = performance.now();
  const piece = await get(server, 'text', `${path}/text?at=${encodeURIComponent(at)}&from=${units - 1_000}`);
  if (piece.text.length !== 1_000) throw new Error('its end is another');
  const endMs = performance.now() - endFrom;
  const peakMb = server.memory().peakBytes / MB;
  const figures = { units, messageMs, endMs, before, peakMb };
  return [
    finding(`a message of ${rounded(units / 1e6, 0)} MB is there, in ms`, messageMs, 2_000, figures),
    finding('its last words, in ms', endMs, 1_000, figures),
    finding('memory of the server that shows it, in MB', peakMb, PEAK_MB_MAX, figures),
  ];
}

async function get<Name extends RouteName>(
  server: StudioServer,
  name: Name,
  path: string,
): Promise<AnswerOf<Name>> {
  const answer = await fetch(server.url + path);
  const json: unknown = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(json));
  return ROUTES[name].answer.parse(json) as AnswerOf<Name>;
}
