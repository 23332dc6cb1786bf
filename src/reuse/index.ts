export { type FoundSample, isSameDigest, type LogIndex, shortDigest } from './log-index.ts';
export { openLogIndex, refreshIndex } from './refresh-index.ts';
export { readMark, withMark } from './sample-mark.ts';
export { fitsLimits } from './used-limits.ts';
