import { resolve } from 'node:path';
import { Option } from 'commander';
import { toJson } from '../../base/index.ts';
import { isBucketUrl } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { type MergeReport, mergeLogs } from '../../recover/index.ts';
import { type CommonFlags, defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { logPlaceOf, openNamedLog } from '../logs/log-place.ts';
import { counted } from '../quantities.ts';
import { shortPath } from '../short-path.ts';
import { oneLine } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface MergeFlags extends CommonFlags {
  readonly output: string;
}

export const command = defineCommand<MergeFlags>({
  summary: 'Make one log of several of the same eval',
  description: `Takes each sample from the log that has the best of it: complete beats errored beats cancelled. The order of
the logs does not matter. Samples that several logs hold complete but not alike are listed; what each
log gave is kept in the new log's metadata.`,
  arguments: [['<logs...>', 'logs of one eval: attempts, parts, recovered logs']],
  options: [new Option('-o, --output <log>', 'the log to write').makeOptionMandatory()],
  examples: [['holdfast log merge logs/a.eval logs/b.eval -o logs/all.eval', 'two attempts as one log']],
  exits: {
    0: 'merged',
    1: 'the logs are not of one eval, or the output exists; nothing was written',
    2: 'a file is no log, or the command line is wrong; nothing was written',
    3: 'merged, but something of a log is damaged and listed; or nothing of a log can be read, and nothing was written',
  },
  async run({ args, flags, terminal }) {
    const { cwd } = terminal;
    const logs = (args[0] as readonly string[]).map((log) => (isBucketUrl(log) ? log : resolve(cwd, log)));
    const to = await logPlaceOf(flags.output, cwd);
    const open = (log: string) => openNamedLog(log, cwd);
    const report = await mergeLogs({ disk: nodeDisk, logs, open, output: to.place, into: to.logs });
    if (flags.json) terminal.json(toJson(report));
    else for (const line of mergeLines(report, terminal)) terminal.line(line);
    return report.damaged.length > 0 ? EXIT.damage : EXIT.ok;
  },
});

function mergeLines(report: MergeReport, { style, cwd }: Terminal): string[] {
  const { completed, errored, cancelled, conflicts } = report;
  const parts = [`${completed} completed`];
  if (errored > 0) parts.push(`${errored} failed`);
  if (cancelled > 0) parts.push(`${cancelled} cancelled`);
  const lines = [`${counted(report.samples, 'sample')}: ${parts.join(', ')}`];
  for (const [path, count] of Object.entries(report.from))
    lines.push(`  ${count} from ${shortPath(path, cwd)}`);
  if (conflicts.length > 0) {
    const were = conflicts.length === 1 ? 'is' : 'are';
    lines.push(
      style.warn(`${counted(conflicts.length, 'sample')} ${were} complete in several logs, but not alike:`),
    );
    for (const { id, epoch, taken, left } of conflicts)
      lines.push(
        `  ${oneLine(String(id))}, epoch ${epoch}: taken from ${shortPath(taken, cwd)}, left out of ${left.map((path) => shortPath(path, cwd)).join(', ')}`,
      );
  }
  if (report.damaged.length > 0) lines.push(style.bad('Damaged:'));
  for (const { message } of report.damaged) lines.push(`  ${message}`);
  for (const { id, epoch } of report.lost)
    lines.push(style.bad(`  ${oneLine(String(id))}, epoch ${epoch}: no log has a copy that can be read`));
  return [...lines, style.accent(shortPath(report.output, cwd))];
}
