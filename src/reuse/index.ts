export type { EarlierChanges, EarlierLog, EarlierLogs, WhyAbsent } from './earlier-logs.ts';
export { type FoundSample, isSameDigest, type LogIndex, shortDigest } from './log-index.ts';
export { logsWithPublished, PublishedLogs } from './published-logs.ts';
export { readyIndex } from './refresh-index.ts';
export { readMark, type SampleMark, withMark } from './sample-mark.ts';
export { fitsLimits, usedBy } from './used-limits.ts';
