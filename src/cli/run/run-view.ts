import { type Clock, isJsonObject, type Json } from '../../base/index.ts';
import type { ObservedOutcome, ObservedSample, RunObserver, RunStarted } from '../../runner/index.ts';
import { RunningScore, type ScoreSoFar } from '../../stats/index.ts';
import type { FailedTry } from '../../targets/index.ts';

/** The rate is that of the last moments, so that an ETA follows what happens now. */
const RATE_WINDOW_MS = 20_000;
const RATE_POINTS_MAX = 400;

/** What is known of one run while it is under way: filled by the runner, read by a screen. */
export class RunView implements RunObserver {
  readonly #clock: Clock;
  readonly #onChange: (view: RunView, change: RunChange) => void;
  readonly #scores = new Map<string, RunningScore>();
  readonly #ends: number[] = [];
  #hasEpochs = false;
  #startedMs: number;
  #endedMs: number | undefined;
  readonly name: string;
  phase: 'waiting' | 'running' | 'sealing' | 'ended' = 'waiting';
  target: string;
  started: RunStarted | undefined;
  /** Artifacts that are built at the moment. */
  building = 0;
  running = 0;
  completed = 0;
  failed = 0;
  tokens = 0;
  usd = 0;
  sealShare = 0;

  constructor(
    about: { readonly name: string; readonly target: string },
    clock: Clock,
    onChange: (view: RunView, change: RunChange) => void,
  ) {
    this.name = about.name;
    this.target = about.target;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#startedMs = clock.monotonicMs();
  }

  onSampleKept(scores: ObservedOutcome['scores'], { epoch }: ObservedSample): void {
    this.#beginAnew();
    this.#hasEpochs ||= epoch > 1;
    this.#addScores(scores);
  }

  onRunStart(run: RunStarted): void {
    this.#beginAnew();
    this.phase = 'running';
    this.started = run;
    this.target = run.target;
    this.#startedMs = this.#clock.monotonicMs();
    this.#onChange(this, { kind: 'start' });
  }

  onBuildStart(): void {
    this.building++;
  }

  onBuildEnd(): void {
    this.building--;
  }

  onSampleStart(): void {
    this.running++;
    this.#onChange(this, { kind: 'progress' });
  }

  onSampleEnd(sample: ObservedSample, outcome: ObservedOutcome): void {
    this.running--;
    this.#hasEpochs ||= sample.epoch > 1;
    this.tokens += outcome.tokens;
    this.usd += outcome.usd;
    if (outcome.status === 'completed') this.completed++;
    if (outcome.status === 'errored') this.failed++;
    if (outcome.status !== 'interrupted') this.#countEnd();
    this.#addScores(outcome.scores);
    if (outcome.error !== undefined)
      this.#onChange(this, { kind: 'failure', text: `sample ${sample.id} failed: ${outcome.error}` });
    for (const [scorer, reason] of Object.entries(outcome.scorerFailures ?? {}))
      this.#onChange(this, {
        kind: 'failure',
        text: `the scorer ${scorer} failed on sample ${sample.id}: ${reason}`,
      });
    this.#onChange(this, { kind: 'progress' });
  }

  onFailedTry(failed: FailedTry): void {
    this.#onChange(this, { kind: 'failedTry', failed });
  }

  onSealProgress(done: number, total: number): void {
    this.phase = 'sealing';
    this.sealShare = total === 0 ? 1 : done / total;
    this.#onChange(this, { kind: 'progress' });
  }

  onNote(text: string): void {
    this.#onChange(this, { kind: 'note', text });
  }

  onRunEnd(): void {
    this.phase = 'ended';
    this.#endedMs = this.#clock.monotonicMs();
    this.#onChange(this, { kind: 'end' });
  }

  get planned(): number {
    return this.started?.planned ?? 0;
  }

  /** Samples that have a result, wherever it came from. */
  get done(): number {
    const { kept = 0, reused = 0 } = this.started ?? {};
    return kept + reused + this.completed + this.failed;
  }

  get share(): number {
    return this.planned === 0 ? 0 : this.done / this.planned;
  }

  get elapsedMs(): number {
    return (this.#endedMs ?? this.#clock.monotonicMs()) - this.#startedMs;
  }

  /**
   * Samples a second, over the last moments; 0 until two have ended. The time since the start counts from the first sample on:
   * those that ran side by side end side by side, and the time between their ends says nothing.
   */
  get rate(): number {
    const nowMs = this.#clock.monotonicMs();
    const [oldestMs = nowMs] = this.#ends;
    const sinceMs = this.#ends.length < RATE_POINTS_MAX ? this.#startedMs : oldestMs;
    const spanMs = Math.min(RATE_WINDOW_MS, nowMs - sinceMs);
    const recent = this.#ends.filter((endMs) => nowMs - endMs <= RATE_WINDOW_MS);
    return spanMs <= 0 || recent.length < 2 ? 0 : (recent.length / spanMs) * 1_000;
  }

  /** Undefined when nothing is known, or nothing is left to wait for. */
  get etaMs(): number | undefined {
    const { rate } = this;
    return rate > 0 && this.phase === 'running' && this.done < this.planned
      ? ((this.planned - this.done) / rate) * 1_000
      : undefined;
  }

  /** By scorer, in the order in which they were first seen. Epochs are no samples: with several of them the interval would be too narrow. */
  scores(): ReadonlyMap<string, ScoreSoFar> {
    return new Map(
      [...this.#scores].map(([name, score]) => {
        const { interval, ...rest } = score.soFar();
        return [name, this.#hasEpochs || !interval ? rest : { ...rest, interval }];
      }),
    );
  }

  /** A further attempt counts from nothing: what the last one did is told to it as kept or reused. */
  #beginAnew(): void {
    if (this.phase !== 'ended') return;
    this.phase = 'waiting';
    this.started = undefined;
    this.#endedMs = undefined;
    this.running = 0;
    this.completed = 0;
    this.failed = 0;
    this.tokens = 0;
    this.usd = 0;
    this.sealShare = 0;
    this.#scores.clear();
    this.#hasEpochs = false;
    this.#ends.length = 0;
  }

  #addScores(scores: ObservedOutcome['scores']): void {
    for (const [name, { value }] of Object.entries(scores)) {
      // A record has a figure for each of its keys.
      if (isJsonObject(value))
        for (const [key, item] of Object.entries(value)) this.#addScore(`${name}/${key}`, item);
      else this.#addScore(name, value);
    }
  }

  #addScore(name: string, value: Json | undefined): void {
    const score = this.#scores.get(name) ?? new RunningScore();
    this.#scores.set(name, score);
    score.add(value ?? null);
  }

  #countEnd(): void {
    this.#ends.push(this.#clock.monotonicMs());
    if (this.#ends.length > RATE_POINTS_MAX) this.#ends.shift();
  }
}

export type RunChange =
  | { readonly kind: 'start' | 'progress' | 'end' }
  | { readonly kind: 'note' | 'failure'; readonly text: string }
  | { readonly kind: 'failedTry'; readonly failed: FailedTry };
