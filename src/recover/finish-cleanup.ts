import { openBucketSource } from '../journal/index.ts';
import { type LogHeader, openLogSource } from '../log/index.ts';
import { findAttempts } from './buffered-attempts.ts';
import { checkSources, keysInBuffers, type SourceCheck } from './check-sources.ts';
import { type CrashPorts, fingerprintOf, type InspectCrash } from './inspect-crash.ts';
import type { LogSite } from './log-site.ts';
import { openBuffers } from './open-buffers.ts';
import { readBack } from './read-back.ts';
import { recoverErrors } from './recover-errors.ts';
import { runOf } from './recover-inspect.ts';
import type { RecoverProblem, RecoverReport } from './recover-report.ts';
import { hasEvents } from './recovery-mark.ts';
import { isHalfRemoved, releaseInspectSources } from './release-sources.ts';

/** A log that an earlier recovery made of the same crash. */
export interface MadeLog {
  readonly header: LogHeader;
  readonly site: LogSite;
}

/**
 * Ends a recovery that died before it could let its sources go. Nothing that the log says of itself is believed: every
 * buffer is read again, and goes only if all that it holds is found in the log.
 */
export async function finishCleanup(
  crash: InspectCrash,
  { header, site }: MadeLog,
  ports: CrashPorts,
): Promise<RecoverReport> {
  const { sources, problems } = await compare(crash, { header, site }, ports);
  if ((await fingerprintOf(crash, ports)) !== crash.fingerprint)
    throw recoverErrors.changed(crash.site.place);
  const deleted = await releaseInspectSources(ports.disk, crash, sources);
  return {
    kind: 'inspect',
    output: site.place,
    wasThere: true,
    status: header.status,
    run: runOf(header),
    sources: [],
    liveness: crash.verdict.liveness,
    counts: { expected: undefined, kept: 0, recovered: 0, inFlight: 0, lost: 0 },
    samples: [],
    problems: [...problems, ...sources.problems],
    ...(header.results && { results: header.results }),
    deleted,
    left: sources.left,
  };
}

async function compare(
  crash: InspectCrash,
  { header, site }: MadeLog,
  ports: CrashPorts,
): Promise<{ readonly sources: SourceCheck; readonly problems: readonly RecoverProblem[] }> {
  const source = await openBucketSource(site.bucket, site.key);
  if (!source) throw recoverErrors.changed(site.place);
  const made = await openLogSource(source);
  const { readers, errors } = await openBuffers(crash, ports);
  try {
    const output = await readBack(made, keysInBuffers(crash, readers));
    const attempts = findAttempts(readers);
    // What an interrupted removal took away first is missed by nobody.
    const isRemoval = crash.filestore !== undefined && isHalfRemoved(crash.filestore);
    const isHarmless = ({ code }: RecoverProblem) => isRemoval && code === 'E_BUFFER_MANIFEST';
    const withEvents = hasEvents(header);
    const sources = checkSources(crash, { readers, attempts, output, withEvents, isHarmless });
    const problems = [
      ...errors.map(({ code, message }) => ({ code, message })),
      ...readers.flatMap((reader) => reader.problems).filter((problem) => !isHarmless(problem)),
    ];
    return { sources, problems };
  } finally {
    for (const reader of readers) await reader.close();
    await made.close();
  }
}
