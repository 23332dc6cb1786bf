export { type FoundSample, isSameDigest, type LogIndex, shortDigest } from './log-index.ts';
export { readyIndex } from './refresh-index.ts';
export { readMark, type SampleMark, withMark } from './sample-mark.ts';
export { fitsLimits, usedBy } from './used-limits.ts';
