import { Badge } from './outcome.tsx';
import type { Shown } from './outcomes.ts';

/** A state with its glyph and its word; how many there are of it where that is to be said. */
export function Look({ shown, count }: { readonly shown: Shown; readonly count?: number }) {
  return (
    <Badge tone={shown.tone} glyph={shown.glyph}>
      {count === undefined ? shown.word : `${count} ${shown.word}`}
    </Badge>
  );
}
