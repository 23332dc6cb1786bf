export { type Choice, chooseAttempts } from './choose-attempts.ts';
export { expandEvent } from './expand-event.ts';
export { releaseJournal, sweepReleased } from './release-journal.ts';
export { findSealedLog, type SealOptions, type SealReport, sealRun } from './seal.ts';
