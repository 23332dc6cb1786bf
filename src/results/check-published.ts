import { counted } from '../base/index.ts';
import { type LogProblem, type StoredLogReader, type VerifyReport, verifyStoredLog } from '../log/index.ts';
import type { PublishedPorts } from './published-log.ts';
import type { Revision } from './results-tree.ts';
import type { RunMarks } from './run-marks.ts';
import { type ResultProblem, verifyRevision } from './verify-results.ts';

/**
 * All that is wrong with a published log: what is wrong with any log, and a digest that is not that of its row [RES-7]. What was
 * left out when it was published, or dropped by `gc`, is said and no damage.
 */
export async function checkPublished(
  log: StoredLogReader,
  about: { readonly revision: Revision; readonly marks?: RunMarks; readonly ports: PublishedPorts },
): Promise<VerifyReport> {
  const { revision, marks, ports } = about;
  const isCollected = (marks?.collections.length ?? 0) > 0;
  const report = await verifyStoredLog(log);
  const isExpected = ({ code }: LogProblem) =>
    code === 'E_RESULT_BODY_LEFT_OUT' ||
    code === 'E_RESULT_BODY_AWAY' ||
    (isCollected && code === 'E_RESULT_BODY_GONE');
  const problems: LogProblem[] = report.problems.filter((problem) => !isExpected(problem));
  const remarks = [...report.remarks, ...absenceRemarks(report.problems.filter(isExpected))];
  // What cannot be read is told already.
  if (!problems.some(({ code }) => code.startsWith('E_')))
    problems.push(...(await digestProblems(revision, { ports, isCollected })));
  return { ...report, isWhole: problems.length === 0, problems, remarks };
}

async function digestProblems(
  revision: Revision,
  about: { readonly ports: PublishedPorts; readonly isCollected: boolean },
): Promise<readonly LogProblem[]> {
  const found: ResultProblem[] = [];
  await verifyRevision(revision, { ...about, problems: found });
  return found.map(({ document = 'run.json', message }) => ({ member: document, code: 'digest', message }));
}

const REASONS: Readonly<Record<string, string>> = {
  E_RESULT_BODY_LEFT_OUT: 'left out when it was published (results.bodies: summary)',
  E_RESULT_BODY_GONE: 'dropped by "holdfast results gc"',
  E_RESULT_BODY_AWAY: 'in a bucket that is not named (--bucket)',
};

/** There may be as many as samples: they are counted. */
function absenceRemarks(absent: readonly LogProblem[]): readonly LogProblem[] {
  return [...Map.groupBy(absent, ({ code }) => code)].map(([code, problems]) => {
    const end = code === 'E_RESULT_BODY_AWAY' ? 'not looked at' : 'there is nothing to check';
    const message = `${counted(problems.length, 'document')} ${REASONS[code] ?? 'not kept'}: ${end}.`;
    return { member: 'document', code, message };
  });
}
