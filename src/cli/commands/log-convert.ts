import { basename, join, relative } from 'node:path';
import { Option } from 'commander';
import { nodeDisk } from '../../disk/index.ts';
import { type CompressionMethod, convertLog } from '../../log/index.ts';
import { type CommonFlags, defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { fetchLog, isElsewhere, putLog, scratchFolder } from '../logs/local-copy.ts';
import { logPlaceOf } from '../logs/log-place.ts';
import { formatBytes } from '../quantities.ts';

interface ConvertFlags extends CommonFlags {
  readonly method?: CompressionMethod;
  readonly force?: true;
}

export const command = defineCommand<ConvertFlags>({
  summary: 'Write a log in another form (.json, .eval, older tools)',
  arguments: [
    ['<from>', 'the log to read'],
    ['<to>', 'the log to write; its ending decides the form: .eval or .json'],
  ],
  options: [
    new Option('--method <name>', 'compression of a .eval; deflate for tools of before 2026').choices([
      'zstd',
      'deflate',
    ]),
    new Option('--force', 'replace a file that exists'),
  ],
  examples: [
    ['holdfast log convert logs/x.eval x.json', 'as plain JSON'],
    ['holdfast log convert logs/x.eval old.eval --method deflate', 'for older tools'],
  ],
  exits: {
    0: 'written',
    1: 'the source cannot be read',
    2: 'the source is no log, the target exists, or its ending is unknown',
    3: 'the source is damaged',
  },
  async run({ args, flags, terminal }) {
    const { place: from } = await logPlaceOf(String(args[0]), terminal.cwd);
    const { place: to } = await logPlaceOf(String(args[1]), terminal.cwd);
    const replace = flags.force === true;
    await using scratch = await scratchFolder();
    const target = isElsewhere(to) ? join(scratch.path, `to-${basename(to)}`) : to;
    const { sizeBytes } = await convertLog(nodeDisk, {
      from: isElsewhere(from) ? await fetchLog(from, scratch.path) : from,
      to: target,
      replace,
      ...(flags.method ? { method: flags.method } : {}),
    });
    if (target !== to) await putLog(target, to, { replace });
    if (flags.json) terminal.json({ from, to, sizeBytes });
    else terminal.line(`${isElsewhere(to) ? to : relative(terminal.cwd, to)}  ${formatBytes(sizeBytes)}`);
    return EXIT.ok;
  },
});
