import type { Studio } from '../studio.ts';
import type { Needle } from './needle.ts';

/** So many runs, and of each so many texts, are remembered. */
const RUNS_MAX = 20_000;
const TEXTS_MAX = 6;

/**
 * Which texts are surely not in which runs. Whoever types on looks for a longer text, which is not there either: so a run that was looked
 * through for "tim" need not be for "timeout".
 */
export class Absences {
  /** In the order of use. */
  readonly #texts = new Map<string, readonly string[]>();

  has(key: string, { folded }: Needle): boolean {
    const texts = this.#texts.get(key);
    return texts?.some((text) => folded.includes(text)) ?? false;
  }

  add(key: string, { folded }: Needle): void {
    const others = (this.#texts.get(key) ?? []).filter((text) => !text.includes(folded));
    this.#texts.delete(key);
    this.#texts.set(key, [folded, ...others].slice(0, TEXTS_MAX));
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > RUNS_MAX && oldest !== undefined) this.#texts.delete(oldest);
  }
}

const absences = new WeakMap<Studio, Absences>();

export function absencesOf(studio: Studio): Absences {
  const known = absences.get(studio) ?? new Absences();
  absences.set(studio, known);
  return known;
}
