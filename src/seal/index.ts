export { ACCOUNT_KEY, RECOVERY_KEY } from './account-key.ts';
export { applySeal, type SealReport } from './apply-seal.ts';
export { nameOfChosen } from './choice-list.ts';
export { isMemberWhole } from './lenders.ts';
export { isWhole, planSeal, type SealPlan } from './plan-seal.ts';
export { keepJournals, releaseRun, setRunAside, sweepReleased } from './release-run.ts';
export { countNotIn, findSealedLog } from './sealed-log.ts';
export { shipLog } from './ship-log.ts';
export { countWaiting } from './waiting-answers.ts';
