import { isJob, type JobId, type SharedPlace } from './shared-keys.ts';

/** Whose evidence it is: of one lease of one job, as one writer left it [EVI-1]. */
export interface EvidenceOf {
  readonly job: JobId;
  readonly n: number;
  readonly writer: string;
}

const LEASE_DIGITS = 4;
const PART_DIGITS = 6;

/** All evidence of a run; of one job, when it is named. */
export function evidenceFolder({ prefix }: Pick<SharedPlace, 'prefix'>, run: string, job?: JobId): string {
  return `${prefix}${run}/evidence/${job === undefined ? '' : `${job}/`}`;
}

export function partKey(
  place: Pick<SharedPlace, 'prefix'>,
  run: string,
  of: EvidenceOf & EvidencePart,
): string {
  const { job, n, writer, part } = of;
  const lease = String(n).padStart(LEASE_DIGITS, '0');
  return `${evidenceFolder(place, run, job)}${lease}/${writer}/${String(part).padStart(PART_DIGITS, '0')}`;
}

interface EvidencePart {
  /** Counts from 1. */
  readonly part: number;
}

/** Undefined for a key that is none of a part: what others put there is nobody's evidence. */
export function parsePartKey(key: string): (EvidenceOf & EvidencePart) | undefined {
  const [, job = '', n, writer, part] = /\/evidence\/(\w+)\/(\d{4,})\/([\w-]+)\/(\d{6,})$/.exec(key) ?? [];
  if (!isJob(job) || writer === undefined) return undefined;
  return { job, n: Number(n), writer, part: Number(part) };
}
