import type { Change } from '../../../src/server/api.ts';

/** The sentence of a verdict in two: what is said, and what it rests on. */
export function splitSaid(said: string): { readonly headline: string; readonly rest: string } {
  const at = said.indexOf(': ');
  if (at < 0) return { headline: said, rest: '' };
  return { headline: said.slice(0, at), rest: said.slice(at + 2).replace(/\.$/, '') };
}

/** A sentence with `undefined` where the letter of a run stands, once. */
export function splitAtLetter(text: string, letter: string): readonly (string | undefined)[] {
  const at = new RegExp(`\\b${letter}\\b`).exec(text)?.index;
  if (at === undefined) return [text];
  return [text.slice(0, at), undefined, text.slice(at + letter.length)].filter((part) => part !== '');
}

/** What is looked at before two runs may be compared at all. */
const GROUNDS = ['dataset', 'scorer'] as const;

/** `same dataset`, `same scorer`: what does not stand in the way. */
export function sameGrounds(changes: readonly Change[], warnings: readonly string[]): readonly string[] {
  return GROUNDS.filter(
    (ground) =>
      !changes.some(({ what, isWarning }) => isWarning && what === ground) &&
      !warnings.some((warning) => warning.includes(ground) || /cannot be read|There is no run/.test(warning)),
  ).map((ground) => `same ${ground}`);
}
