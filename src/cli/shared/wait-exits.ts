/** What `submit` and `runs wait` end with: a table for their help. */
export const WAIT_EXITS: Readonly<Record<number, string>> = {
  0: 'complete: every sample has a result, and every threshold is met',
  1: 'complete, but short of a threshold, or a scorer failed; or workers could not be launched, or not be stopped',
  2: 'the command line or an eval is wrong, or queue or bucket cannot be used; nothing was submitted',
  3: 'damage was found in what is stored: it is named, and all else that could be done was done',
  4: 'interrupted (Ctrl-C) here; the run goes on and can be waited for, or resumed when its workers were launched here, and so are stopped',
  5: 'complete, but samples failed or were set aside',
  6: 'cancelled: by somebody, by its budget, because too much failed, or for a mistake that no worker can get around',
  7: 'stalled: something is due and no worker is there',
  8: 'timed out: --timeout is over, or nothing ended for as long as --no-progress says',
  9: 'unknown: whether its workers live could not be told for a minute, or the bucket does not answer or does not let us in, or the command failed; the run may go on',
};

/** What the other commands about shared runs end with when none of their own codes would be true. */
export const UNTOLD = {
  9: 'unknown: the bucket does not answer or does not let us in, or the command failed',
} as const;
