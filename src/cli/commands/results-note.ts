import { Option } from 'commander';
import { toJson, UsageError } from '../../base/index.ts';
import { type GivenSaying, sayOfRun } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { parseCount } from '../parse-values.ts';
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
    const [run] = await results.idsOf([given]);
    const note = run && (await sayOfRun(results, run, sayingOf(flags, text)));
    if (flags.json) terminal.json(toJson(note ?? null));
    else terminal.line(`${note?.run}  ${note?.kind} ${note?.id}`);
    return EXIT.ok;
  },
});

function sayingOf(flags: NoteFlags, text: string | undefined): GivenSaying {
  const { sample, epoch, event, verdict, retract } = flags;
  if (retract !== undefined) return { kind: 'retraction', id: retract };
  const anchor = sample === undefined ? undefined : { sample, epoch, event };
  if (event !== undefined && !anchor)
    throw nothing('An event belongs to a sample, and none was named.', 'Name it with --sample.');
  if (verdict !== undefined) {
    if (!anchor) throw nothing('A verdict is about a sample, and none was named.', 'Name it with --sample.');
    return { kind: 'verdict', verdict, anchor, text };
  }
  if (text === undefined || text.trim() === '')
    throw nothing('Nothing was said.', 'Put it in quotes behind the run.');
  return { kind: 'note', text, anchor };
}

function nothing(message: string, hint: string): UsageError {
  return new UsageError({ code: 'E_NOTE', message, hint });
}
