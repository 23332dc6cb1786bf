import type { RunStarted } from '../../runner/index.ts';
import { NO_MODEL } from '../../targets/index.ts';
import { counted, formatCount, formatTime, formatUsd } from '../quantities.ts';
import type { RunChange, RunView } from './run-view.ts';

/** Shows runs while they are under way. */
export interface Progress {
  /** The one who fills the view calls this for every change. */
  onChange(view: RunView, change: RunChange): void;
  /** A sentence above the runs. */
  note(text: string): void;
  /** Nothing is drawn afterwards. */
  close(): void;
}

/** `capitals · openai/gpt-5`; a function that calls no model by itself has no such name. */
export function runTitle(name: string, target: string, gap = ' · '): string {
  return target === '' || target === NO_MODEL ? name : `${name}${gap}${target}`;
}

/** How the attempt before this one ended, as a sentence; empty when there is nothing to say. */
export function describePrevious({ previous }: RunStarted): string {
  if (!previous) return '';
  const how = previous.saidGoodbye ? 'was stopped' : 'died';
  return `the last attempt ${how} at ${formatTime(previous.diedAt)}; ${counted(previous.kept, 'sample')} kept, ${previous.inFlight} were in flight`;
}

/**
 * `412 kept, 88 scored anew, 12 to buy, about $0.40`: what is going to happen, before anything is paid for. That nothing is to buy
 * is said only where nothing runs: which requests of a sample are new, nobody knows before.
 */
export function describeForecast(forecast: {
  readonly kept: number;
  readonly toScore: number;
  readonly toReplay: number;
  readonly toBuy: number;
  readonly refused?: number;
  readonly estimateUsd?: number | undefined;
  readonly replayAtMostUsd?: number | undefined;
}): string {
  const { kept, toScore, toReplay, toBuy, refused = 0, estimateUsd, replayAtMostUsd } = forecast;
  const isNothing = toBuy + toReplay === 0 && kept + toScore > 0;
  const atMost =
    replayAtMostUsd === undefined
      ? 'what they cost is not known yet'
      : `at most about ${formatUsd(replayAtMostUsd)}`;
  const parts = [
    kept > 0 ? `${formatCount(kept)} kept` : '',
    toScore > 0 ? `${formatCount(toScore)} scored anew` : '',
    refused > 0 ? `${formatCount(refused)} that cannot run` : '',
    toReplay > 0
      ? `${formatCount(toReplay)} to run again with the answers on record (new requests are bought: ${atMost})`
      : '',
    toBuy > 0 || kept + toScore + toReplay + refused === 0 ? `${formatCount(toBuy)} to buy` : '',
    toBuy > 0 ? (estimateUsd === undefined ? 'cost not known yet' : `about ${formatUsd(estimateUsd)}`) : '',
    isNothing ? (toScore > 0 ? 'nothing to buy but what scorers ask for' : 'nothing to buy') : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}
