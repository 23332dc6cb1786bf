/** Runs that ended in an error. */
export const FAILED = 'status:error';

/** Whether a part of a filter is about when runs began. */
export function isOfTime(term: string): boolean {
  return /^-?(since|before):/i.test(term);
}
