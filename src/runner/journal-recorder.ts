import { ActionableError, type Digest, type Random, shortId } from '../base/index.ts';
import type { LogEvent, SampleAnswer } from '../log/index.ts';
import {
  newEvent,
  type PaidRequest,
  type RecordedAnswer,
  type Recorder,
  type SampleScope,
} from '../targets/index.ts';
import type { AttemptSink, SampleJournal } from './sample-journal.ts';

/** Implements Recorder on one attempt of the journal, with the answers that interrupted attempts left behind. */
export class JournalRecorder implements Recorder {
  readonly #attempt: AttemptSink;
  readonly #recorded: RecordedAnswers;
  readonly #asked = new Map<string, number>();
  readonly #known = new Map<string, number>();
  readonly #random: Random;
  #span: string | undefined;

  readonly #journal: Pick<SampleJournal, 'failure'> | undefined;

  constructor(
    attempt: AttemptSink,
    recorded: RecordedAnswers,
    about: { readonly random: Random; readonly journal?: Pick<SampleJournal, 'failure'> },
  ) {
    this.#attempt = attempt;
    this.#recorded = recorded;
    this.#random = about.random;
    this.#journal = about.journal;
  }

  /** Asked before anything is bought: what a journal that failed cannot keep is not bought at all. */
  recall(request: PaidRequest): RecordedAnswer | undefined {
    if (this.#journal?.failure !== undefined) throw this.#journal.failure;
    const key = requestKey(request);
    const asked = this.#asked.get(key) ?? 0;
    this.#asked.set(key, asked + 1);
    const answer = this.#recorded.get(key)?.[asked];
    if (answer) this.#attempt.replayed({ ...request, occurrence: asked, ...answer });
    return answer;
  }

  async record(request: PaidRequest, answer: RecordedAnswer, events: readonly LogEvent[]): Promise<void> {
    const key = requestKey(request);
    // Equal requests may be under way at once and end in any order: an answer takes the next free place, and since
    // the requests are equal it does not matter which of them a replay gives it to.
    const occurrence = this.#known.get(key) ?? this.#recorded.get(key)?.length ?? 0;
    this.#known.set(key, occurrence + 1);
    await this.#attempt.answer(
      { kind: request.kind, digest: request.digest, occurrence, ...answer },
      events.map((event) => this.#inCurrentSpan(event)),
    );
  }

  /**
   * The recorder of one phase of the sample. Once the phase has ended, whoever still holds it can neither buy anything
   * nor write into the transcript: a call that was never awaited must not spend money that nobody sees.
   */
  phase(): Recorder & { end(): void } {
    let isOver = false;
    return {
      recall: (request) => {
        if (isOver) throw sampleEnded();
        return this.recall(request);
      },
      record: async (request, answer, events) => {
        if (isOver) throw sampleEnded();
        await this.record(request, answer, events);
      },
      emit: (event) => {
        if (!isOver) this.emit(event);
      },
      end: () => {
        isOver = true;
      },
    };
  }

  emit(event: LogEvent): void {
    this.#attempt.event(this.#inCurrentSpan(event));
  }

  /** Runs `work` as a span of the transcript: all events meanwhile belong to it. */
  async inSpan<T>(
    scope: SampleScope,
    span: { readonly name: string; readonly type: string },
    work: () => Promise<T>,
  ): Promise<T> {
    const id = shortId(this.#random);
    this.emit(newEvent(scope, 'span_begin', { id, ...span }));
    this.#span = id;
    try {
      return await work();
    } finally {
      this.#span = undefined;
      this.emit(newEvent(scope, 'span_end', { id }));
    }
  }

  #inCurrentSpan(event: LogEvent): LogEvent {
    return this.#span === undefined || event.span_id !== undefined
      ? event
      : { ...event, span_id: this.#span };
  }
}

/** Answers by request, in the order in which equal requests were made. */
export type RecordedAnswers = ReadonlyMap<string, readonly BoughtAnswer[]>;

/** With the run that bought it. */
type BoughtAnswer = RecordedAnswer & { readonly from: string };

export const NO_ANSWERS: RecordedAnswers = new Map();

/** Answers as a new attempt is given them. */
export function answersToReplay(
  answers: readonly (SampleAnswer & { readonly from: string })[],
): RecordedAnswers {
  const found = new Map<string, BoughtAnswer[]>();
  for (const row of answers.toSorted((a, b) => a.occurrence - b.occurrence)) {
    const { kind: _kind, digest: _digest, occurrence, ...answer } = row;
    const key = requestKey(row);
    const list = found.get(key) ?? [];
    // A gap cannot be filled by guessing: what comes behind it is asked again.
    if (list.length === occurrence) list.push(answer);
    found.set(key, list);
  }
  return found;
}

/** Writes all answers down with an attempt that does not ask for them: what it stands on is then known from it alone. */
export function keepAnswers(attempt: AttemptSink, answers: RecordedAnswers): void {
  for (const [key, list] of answers) {
    const [kind = '', digest = ''] = key.split(' ');
    for (const [occurrence, answer] of list.entries())
      attempt.replayed({ kind, digest: digest as Digest, occurrence, ...answer });
  }
}

function sampleEnded(): ActionableError {
  return new ActionableError({
    code: 'E_SAMPLE_ENDED',
    message: 'A call was made after its sample had ended.',
    hint: 'Await every call before the target or the scorer returns.',
  });
}

function requestKey(request: { readonly kind: string; readonly digest: string }): string {
  return `${request.kind} ${request.digest}`;
}
