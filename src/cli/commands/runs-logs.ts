import { Option } from 'commander';
import { type JsonObject, toJson } from '../../base/index.ts';
import { findShared, type RunStatus } from '../../cluster/index.ts';
import { type CommandCall, defineCommand } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { damagedJson, damageLines, exitAfterDamage } from '../shared/damage-lines.ts';
import { eventLine, outputLines } from '../shared/event-lines.ts';
import { type RunNews, RunNewsReader } from '../shared/follow-run.ts';
import { type BucketFlags, bucketOption } from '../shared/shared-options.ts';
import { openShared } from '../shared/shared-place.ts';
import { untilStopped } from '../shared/until-stopped.ts';
import { UNTOLD } from '../shared/wait-exits.ts';

interface LogsFlags extends BucketFlags {
  readonly sample?: string;
  readonly worker?: string;
  readonly follow?: true;
}

export const command = defineCommand<LogsFlags>({
  summary: 'Tell what happened to a shared run, and what its samples wrote',
  description: `Rounds, and leases with who had them and how they ended, by time. With --sample also what its attempts wrote to stdout and stderr, up to the last
interval, whether they live or not. With --follow it goes on until the run is over, and until what is under way of a run that was cancelled has ended; --json then prints one JSON document a line.`,
  arguments: [['<run>', 'its id, or the beginning or the end of it']],
  options: [
    bucketOption(),
    new Option(
      '--sample <sample>',
      'only this one: its position in the plan (0 is the first), its id, or <id>@<epoch>',
    ),
    new Option('--worker <name>', 'only what this worker had'),
    new Option('--follow', 'go on until the run is over'),
  ],
  examples: [
    ['holdfast runs logs 20261118', 'all that happened'],
    [
      'holdfast runs logs 20261118 --sample 12 --follow',
      'what the agent says that works on the thirteenth sample',
    ],
  ],
  exits: {
    0: 'it was told; with --follow: the run is over, however it ended',
    2: 'there is no such run, sample or worker, or no bucket is named',
    3: 'the same, but something stored is damaged: it is named',
    4: 'interrupted before the run was over (--follow)',
    ...UNTOLD,
  },
  isOfShared: true,
  async run(call) {
    const { args, flags, terminal } = call;
    const place = await openShared(flags, terminal);
    const shared = await findShared(place, String(args[0]));
    const reader = await RunNewsReader.open(shared, place, flags);
    if (flags.follow) return await follow(reader, call);
    const news = await reader.next();
    const exitCode = exitAfterDamage(EXIT.ok, news.status.damaged);
    if (flags.json) terminal.json({ exitCode, run: shared.run, ...newsJson(news) });
    else tell(news, call);
    if (!flags.json) sayDamage(news.status, call);
    return exitCode;
  },
});

async function follow(reader: RunNewsReader, call: CommandCall<LogsFlags>): Promise<ExitCode> {
  const { flags, terminal } = call;
  const { note } = terminal;
  const { end, status } = await untilStopped({ onStop: () => undefined, note }, ({ drain: signal }) =>
    reader.follow({ tell: (news) => tell(news, call), note, signal }),
  );
  const { run, state, damaged } = status;
  const exitCode = exitAfterDamage(EXIT_OF_FOLLOW[end], damaged);
  if (flags.json) terminal.json({ run, kind: 'over', exitCode, state, damaged: damagedJson(damaged) });
  else note(`${run} ${state}`);
  if (!flags.json) sayDamage(status, call);
  return exitCode;
}

const EXIT_OF_FOLLOW = { over: EXIT.ok, stopped: EXIT.interrupted, unknown: EXIT.unknown } as const;

function sayDamage({ run, damaged }: RunStatus, { terminal }: CommandCall<LogsFlags>): void {
  for (const line of damageLines(run, damaged, terminal.noteStyle)) terminal.note(line);
}

function tell(
  { events, output, status: { run } }: RunNews,
  { flags, terminal }: CommandCall<LogsFlags>,
): void {
  if (flags.json) {
    for (const event of events) terminal.json(toJson({ run, ...event }));
    for (const piece of output) terminal.json(toJson({ run, kind: 'output', ...piece }));
    return;
  }
  for (const event of events) terminal.line(eventLine(event, terminal.style));
  for (const piece of output) for (const line of outputLines(piece, terminal.style)) terminal.line(line);
}

function newsJson({ events, output, status }: RunNews): JsonObject {
  const { state, round, damaged } = status;
  return { state, round, events: toJson(events), output: toJson(output), damaged: damagedJson(damaged) };
}
