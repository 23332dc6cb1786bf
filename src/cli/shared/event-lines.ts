import { type JobName, jobNameText, type OutputPiece, type RunEvent } from '../../cluster/index.ts';
import { formatUsd } from '../quantities.ts';
import type { Style } from '../style.ts';
import { oneLine } from '../table.ts';

/** `2026-11-18T04:00:00.000+00:00  lost       s3 cities-4 (lease 1) on a: …` */
export function eventLine(event: RunEvent, style: Style): string {
  const [what, about] = wordsOf(event);
  const isBad = event.kind === 'ended' && !['completed', 'returned'].includes(event.status);
  return `${style.dim(event.at)}  ${(isBad ? style.bad : style.bold)(what.padEnd(9))}  ${about}`;
}

function wordsOf(event: RunEvent): readonly [what: string, about: string] {
  if (event.kind === 'submitted') return [event.kind, `by ${event.by}`];
  if (event.kind !== 'begun' && event.kind !== 'ended')
    return [event.kind, `round ${event.round}, by ${event.by}${whyOf(event.reason)}`];
  const lease = `${namedJob(event.job, event)} (lease ${event.n}) on ${event.worker}`;
  if (event.kind === 'begun') return [event.kind, lease];
  const { status, by, worker, reason, usd = 0 } = event;
  const parts = [
    ...(by === worker ? [] : [`said by ${by}`]),
    ...(usd > 0 ? [formatUsd(usd)] : []),
    ...(reason === undefined ? [] : [oneLine(reason)]),
  ];
  return [status, parts.length === 0 ? lease : `${lease}: ${parts.join(', ')}`];
}

/** `s3 cities-4`: where it stands in the plan, and what people call it. */
export function namedJob(job: string, name: JobName): string {
  const text = oneLine(jobNameText(name));
  return text === '' || text === job ? job : `${job} ${text}`;
}

function whyOf(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${oneLine(reason)}`;
}

/** Each line with the attempt and the file that it is from: outputs of several attempts come mixed. */
export function outputLines({ job, n, path, text }: OutputPiece, style: Style): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const from = style.dim(`${job}.${n} ${path} |`);
  return lines.map((line) => `${from} ${oneLine(line)}`);
}
