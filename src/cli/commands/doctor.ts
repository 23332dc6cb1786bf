import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { toJson } from '../../base/index.ts';
import { isBucketUrl } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { type CommonFlags, defineCommand } from '../command.ts';
import type { Check } from '../doctor/check.ts';
import { EXIT } from '../exit-code.ts';
import { directoryOf, isFileUrl } from '../logs/log-place.ts';
import { renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface DoctorFlags extends CommonFlags {
  readonly logDir: string;
  readonly bucket?: string;
}

export const command = defineCommand<DoctorFlags>({
  summary: 'Check this machine, and a bucket if one is named',
  options: [
    new Option('--log-dir <dir>', 'the log directory to check').default('logs'),
    new Option('--bucket <url>', 'try what Holdfast needs on this bucket; its objects are removed again'),
  ],
  examples: [
    ['holdfast doctor', 'this machine'],
    ['holdfast doctor --bucket file:///mnt/shared', 'and a bucket'],
  ],
  exits: { 0: 'all that is needed works', 1: 'something that is needed fails' },
  async run({ flags, terminal }) {
    const { checkLogDir, checkNode, checkPrograms, checkProviders } = await import(
      '../doctor/check-machine.ts'
    );
    const { checkBucket } = await import('../doctor/check-bucket.ts');
    const { cwd } = terminal;
    const bucket = flags.bucket ?? (isBucketUrl(flags.logDir) ? flags.logDir : undefined);
    const checks = [
      ...(await checkNode()),
      // A bucket that is a directory is one of this machine's, too.
      ...(isBucketUrl(flags.logDir) && !isFileUrl(flags.logDir)
        ? []
        : await checkLogDir(nodeDisk, directoryOf(flags.logDir, cwd), cwd)),
      ...checkProviders(terminal.env, terminal.cwd),
      ...(await checkPrograms(terminal.env, terminal.cwd)),
      ...(bucket === undefined
        ? []
        : await checkBucket(isBucketUrl(bucket) ? bucket : resolve(cwd, bucket), {
            disk: nodeDisk,
            scratch: tmpdir(),
            dir: isBucketUrl(bucket) && !isFileUrl(bucket) ? undefined : directoryOf(bucket, cwd),
          })),
    ];
    const hasFailed = checks.some(({ status }) => status === 'fail');
    if (flags.json) terminal.json({ ok: !hasFailed, checks: toJson(checks) });
    else terminal.line(report(checks, terminal));
    return hasFailed ? EXIT.failed : EXIT.ok;
  },
});

function report(checks: readonly Check[], { style, columns }: Terminal): string {
  const paint = { ok: style.good, warn: style.warn, fail: style.bad };
  const rows = checks.flatMap(({ name, status, detail, next }) => [
    [paint[status](status), name, detail],
    ...(next === undefined ? [] : [['', '', style.dim(next)]]),
  ]);
  return renderTable([{ title: '' }, { title: '' }, { title: '' }], rows, { width: Math.max(columns, 300) });
}
