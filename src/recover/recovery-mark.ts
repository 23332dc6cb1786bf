import { isJsonObject } from '../base/index.ts';
import type { LogHeader } from '../log/index.ts';
import { RECOVERY_KEY } from '../seal/index.ts';

/** Whether a log was made by a recovery. What it was made from is in it or not: that is looked at, not believed. */
export function isRecovered(header: LogHeader): boolean {
  return isJsonObject(header.metadata[RECOVERY_KEY]);
}

/** Whether a recovered log was made with its transcripts. */
export function hasEvents(header: LogHeader): boolean {
  const told = header.metadata[RECOVERY_KEY];
  return isJsonObject(told) && told.events === true;
}
