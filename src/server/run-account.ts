import { definedOf, isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import type { LogHeader } from '../log/index.ts';

/** What a run of Holdfast says of what was kept, replayed and lost, in its own log. */
export interface LoggedAccount {
  readonly kept: number;
  readonly replayed: number;
  readonly spentUsd: number | null;
  readonly savedUsd: number | null;
  readonly wastedUsd: number | null;
  readonly lostUsd: number;
  /** How the session before the last ended. */
  readonly previous?: PreviousSession;
}

export interface PreviousSession {
  readonly diedAt: string;
  readonly saidGoodbye: boolean;
  readonly kept: number;
  /** All that came before the last one, oldest first. Logs of before November 2026 tell of one at most. */
  readonly sessions: readonly EarlierSession[];
}

export interface EarlierSession {
  readonly startedAt?: string;
  readonly endedAt: string;
  readonly saidGoodbye: boolean;
  readonly kept: number;
  readonly host?: string;
}

/** Undefined for a log that says nothing of the kind. */
export function accountIn({ metadata }: LogHeader): LoggedAccount | undefined {
  const account = metadata.holdfast_account;
  if (!isJsonObject(account)) return undefined;
  const samples = objectIn(account.samples);
  const usd = objectIn(account.usd);
  const previous = previousIn(account.previous);
  return {
    kept: countIn(samples.kept) + countIn(samples.reused),
    replayed: countIn(samples.replayed),
    spentUsd: moneyIn(usd.spent),
    savedUsd: moneyIn(usd.saved),
    wastedUsd: moneyIn(usd.wasted),
    lostUsd: moneyIn(usd.lost) ?? 0,
    ...definedOf({ previous }),
  };
}

/** What `holdfast recover` or another tool says of a log that it made of a crash. */
export interface LoggedRecovery {
  readonly kept: number;
  readonly recovered: number;
  readonly inFlight: number;
  readonly lost: number;
}

export function recoveryIn({ metadata }: LogHeader): LoggedRecovery | undefined {
  const mark = metadata.holdfast_recovery;
  if (!isJsonObject(mark)) return undefined;
  return {
    kept: countIn(mark.kept),
    recovered: countIn(mark.recovered),
    inFlight: countIn(mark.in_flight ?? mark.inFlight),
    lost: countIn(mark.lost),
  };
}

function previousIn(value: Json | undefined): PreviousSession | undefined {
  if (!isJsonObject(value) || typeof value.diedAt !== 'string') return undefined;
  const { diedAt } = value;
  const [saidGoodbye, kept] = [value.saidGoodbye === true, countIn(value.kept)];
  const told = isJsonArray(value.sessions) ? value.sessions.flatMap(earlierIn) : [];
  const sessions = told.length > 0 ? told : [{ endedAt: diedAt, saidGoodbye, kept }];
  return { diedAt, saidGoodbye, kept, sessions };
}

function earlierIn(value: Json): EarlierSession[] {
  if (!isJsonObject(value) || typeof value.endedAt !== 'string') return [];
  const { endedAt, saidGoodbye, kept } = value;
  const [startedAt, host] = [textIn(value.startedAt), textIn(value.host)];
  return [
    { endedAt, saidGoodbye: saidGoodbye === true, kept: countIn(kept), ...definedOf({ startedAt, host }) },
  ];
}

function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function countIn(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function moneyIn(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
