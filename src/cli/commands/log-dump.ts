import { Option } from 'commander';
import type { JsonObject } from '../../base/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { dumpLog, dumpSample, jsonText } from '../logs/dump-log.ts';
import { openNamed } from '../logs/named-log.ts';
import { findSample } from '../logs/sample-ref.ts';
import { resultsOptions } from '../results/results-place.ts';
import { type SourcesFlags, sourceOption } from '../results/run-sources.ts';

interface DumpFlags extends SourcesFlags {
  readonly header?: true;
  readonly sample?: string;
  readonly strict?: true;
}

export const command = defineCommand<DumpFlags>({
  summary: 'Print a log as JSON',
  arguments: [
    [
      '<log>',
      'a .eval or .json log: a path, its URL in a bucket, or the id of a run that is published or in a --source',
    ],
  ],
  options: [
    new Option('--header', 'only the header'),
    new Option('--sample <id>', 'only one sample, by its id or id@epoch').conflicts('header'),
    new Option('--strict', 'write null for NaN and the infinities, which plain JSON does not know'),
    sourceOption(),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast log dump logs/x.eval --strict | jq .results', 'the results'],
    ['holdfast log dump logs/x.eval --sample 7', 'one sample with its events'],
  ],
  exits: {
    0: 'printed',
    1: 'the log cannot be read',
    2: 'there is no such log or sample',
    3: 'the log is damaged',
  },
  async run({ args, flags, terminal }) {
    const options = { isStrict: flags.strict ?? false };
    await using named = await openNamed(String(args[0]), flags, terminal);
    const { log } = named;
    if (flags.header) terminal.line(jsonText((await log.header()) as JsonObject, options));
    else if (flags.sample === undefined)
      for await (const text of dumpLog(log, options)) await terminal.write(text);
    else {
      for await (const text of dumpSample(log, await findSample(log, flags.sample), options))
        await terminal.write(text);
      terminal.line();
    }
    return EXIT.ok;
  },
});
