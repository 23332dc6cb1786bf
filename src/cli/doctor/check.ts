/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  /** warn: works, but something is missing that some need. fail: Holdfast cannot work like this. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it. */
  readonly next?: string;
}

export const ok = (name: string, detail: string): Check => ({ name, status: 'ok', detail });

export const warn = (name: string, detail: string, next: string): Check => ({
  name,
  status: 'warn',
  detail,
  next,
});

export const fail = (name: string, detail: string, next: string): Check => ({
  name,
  status: 'fail',
  detail,
  next,
});
