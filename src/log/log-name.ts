const TASK_BYTES_MAX = 180;

/** `2026-06-10T18-23-49-00-00_capitals_7Yx….eval`: created, task, task id, each free of separators [LOG-7]. */
export function logFileName(parts: {
  readonly created: string;
  readonly task: string;
  readonly taskId: string;
}): string {
  const task = parts.task.startsWith('hf/') ? parts.task : (parts.task.split('/').at(-1) ?? parts.task);
  return `${clean(parts.created)}_${cut(clean(task))}_${clean(parts.taskId)}.eval`;
}

/** Any `*.eval`; a `*.json` only when it begins with a time, because many other files end in `.json`. */
export function isLogName(name: string): boolean {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  if (base.endsWith('.eval')) return true;
  return base.endsWith('.json') && /^\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d/.test(base);
}

/** Inspect replaces `_ / : +`. The others cannot stand in a file name on some system, and control characters nowhere. */
function clean(part: string): string {
  return part.toWellFormed().replace(/[_/:+\\<>"|?*\p{Cc}]/gu, '-');
}

/** File systems stop at 255 bytes; time, id and ending take 60 of them. */
function cut(task: string): string {
  let end = task.length;
  while (Buffer.byteLength(task.slice(0, end)) > TASK_BYTES_MAX) end--;
  return task.slice(0, end).replace(/[\ud800-\udbff]$/, '');
}
