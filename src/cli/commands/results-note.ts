import { Option } from 'commander';
import { definedOf, toJson, UsageError } from '../../base/index.ts';
import type { NoteAnchor, ResultsStore } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { parseCount } from '../parse-values.ts';
import { anchorIn } from '../results/note-anchor.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';

interface NoteFlags extends ResultsFlags {
  readonly sample?: string;
  readonly epoch: number;
  readonly event?: string;
  readonly verdict?: 'pass' | 'fail' | 'unsure';
  readonly retract?: string;
}

export const command = defineCommand<NoteFlags>({
  summary: 'Write a note or a verdict on a published run, a sample or an event',
  arguments: [
    ['<run>', 'the id of a run, or the beginning of it'],
    ['[text]', 'what you want to say'],
  ],
  options: [
    new Option('--sample <id>', 'about one sample'),
    new Option('--epoch <n>', 'of this epoch').argParser(parseCount).default(1),
    new Option('--event <uuid>', 'about one event of the transcript of that sample'),
    new Option('--verdict <verdict>', 'what you think of the sample').choices(['pass', 'fail', 'unsure']),
    new Option('--retract <id>', 'take back a note; "holdfast results show --json" lists their ids'),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast results note KvkpiQSMQs "the key had expired"', 'a note on a run'],
    ['holdfast results note KvkpiQSMQs --sample 12 --verdict fail "it guessed"', 'a verdict on a sample'],
  ],
  exits: { 0: 'said', 1: 'git failed', 2: 'there is no such run, sample or event, or nothing was said' },
  async run({ args, flags, terminal }) {
    const [given, text] = args as [string, string | undefined];
    await using results = await resultsOf(flags, terminal);
    const runs = await results.idsOf([given]);
    const saying = await checked(sayingOf(flags, text), { results, runs });
    const [note] = await results.say(runs, (_, { notes }) => {
      if (saying.kind === 'retraction' && !notes.some(({ id }) => saying.of.includes(id)))
        throw unknownNote(flags.retract ?? '');
      return [saying];
    });
    if (flags.json) terminal.json(toJson(note));
    else terminal.line(`${note?.run}  ${note?.kind} ${note?.id}`);
    return EXIT.ok;
  },
});

type Saying = ReturnType<typeof sayingOf>;

/** What it is about is in the run. */
async function checked(
  saying: Saying,
  { results, runs: [run = ''] }: { readonly results: ResultsStore; readonly runs: readonly string[] },
): Promise<Saying> {
  if (saying.kind === 'retraction' || !saying.anchor) return saying;
  const { sample, epoch, event } = saying.anchor;
  const log = await results.open(await results.find(run));
  return { ...saying, anchor: await anchorIn(log, { sample: String(sample), epoch, event }) };
}

function sayingOf(flags: NoteFlags, text: string | undefined) {
  const { sample, epoch, event, verdict, retract } = flags;
  if (retract !== undefined) return { kind: 'retraction' as const, of: [retract] };
  const anchor: NoteAnchor | undefined =
    sample === undefined ? undefined : { sample, epoch, ...definedOf({ event }) };
  if (event !== undefined && !anchor)
    throw nothing('An event belongs to a sample, and none was named.', 'Name it with --sample.');
  if (verdict !== undefined) {
    if (!anchor) throw nothing('A verdict is about a sample, and none was named.', 'Name it with --sample.');
    return { kind: 'verdict' as const, verdict, anchor, ...definedOf({ text }) };
  }
  if (text === undefined || text.trim() === '')
    throw nothing('Nothing was said.', 'Put it in quotes behind the run.');
  return { kind: 'note' as const, text, ...(anchor ? { anchor } : {}) };
}

function nothing(message: string, hint: string): UsageError {
  return new UsageError({ code: 'E_NOTE', message, hint });
}

function unknownNote(id: string): UsageError {
  return nothing(`The run has no note ${id}.`, '"holdfast results show <run> --json" lists its notes.');
}
