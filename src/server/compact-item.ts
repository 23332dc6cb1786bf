import type { listItemOf } from '../sources/index.ts';
import type { RunFacts, RunItem } from './api.ts';

/** What is said once is remembered so many times at most; more than that are no names. */
const SHARED_MAX = 50_000;

/**
 * Makes rows small enough to hold a hundred thousand of them: equal names, and small things that are equal in many runs, are one object.
 * Rows are never changed, so nobody notices.
 */
export class Compactor {
  readonly #texts = new Map<string, string>();
  readonly #things = new Map<string, object>();

  item(item: ReturnType<typeof listItemOf>): RunItem {
    const { run, form, place, name, damage, facts, notes, removed, isPublished } = item;
    const kept: RunItem = facts
      ? { run, form, place: this.#text(place), name: name === run ? run : name, facts: this.#facts(facts) }
      : { run, form, place: this.#text(place), name: name === run ? run : name, damage: damage ?? '' };
    if (notes !== undefined) kept.notes = notes;
    if (removed !== undefined) kept.removed = removed;
    if (isPublished !== undefined) kept.isPublished = isPublished;
    return kept;
  }

  #facts(facts: RunFacts): RunFacts {
    const { samples, tokens, usd, start, end, durationMs, code, by, experiment } = facts;
    // All keys at once: what is added later to an object is kept beside it, and costs twice.
    const kept: { [Key in keyof RunFacts]: RunFacts[Key] | undefined } = {
      eval: this.#text(facts.eval),
      target: this.#text(facts.target),
      status: this.#text(facts.status),
      tags: this.#thing(facts.tags),
      samples: this.#thing(samples),
      scores: facts.scores.map((score) => ({
        ...score,
        scorer: this.#text(score.scorer),
        name: this.#text(score.name),
        metric: this.#text(score.metric),
      })),
      usd,
      start,
      end: end === start ? start : end,
      durationMs,
      tokens,
      code: code && this.#thing(code),
      by: by && this.#thing(by),
      experiment: experiment === undefined ? undefined : this.#text(experiment),
    };
    return kept as RunFacts;
  }

  #text(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= SHARED_MAX) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }

  #thing<T extends object>(thing: T): T {
    const key = JSON.stringify(thing);
    const known = this.#things.get(key);
    // The same text is the same thing.
    if (known) return known as T;
    if (this.#things.size >= SHARED_MAX) this.#things.clear();
    this.#things.set(key, thing);
    return thing;
  }
}
