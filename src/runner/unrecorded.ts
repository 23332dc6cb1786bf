import { counted } from '../base/index.ts';

/** A function may pay where nobody can see it: what it buys then is bought again whenever its code changes. Nothing where there is none. */
export function unrecordedNotes(count: number, { kind }: { readonly kind: string }): readonly string[] {
  if (count === 0 || kind !== 'function') return [];
  const which = `${counted(count, 'sample')} that it runs again recorded no call before`;
  return [
    `The code of the target has changed, and ${which}: if it pays for something, it pays again. Record its calls (context.fetch, context.model or context.record), or keep the outputs that are there with --keep-outputs.`,
  ];
}
