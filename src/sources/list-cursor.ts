import {
  ActionableError,
  digestOf,
  isJsonObject,
  isRunId,
  parseJson,
  type RunId,
  UsageError,
} from '../base/index.ts';

/** Where a list over several sources has got to: the last run that was shown, and the state that each source was in. */
export interface ListCursor {
  readonly run: RunId;
  /** By the place of the source. */
  at(place: string): string | undefined;
}

export function cursorText(run: RunId, at: ReadonlyMap<string, string>): string {
  const states = Object.fromEntries([...at].map(([place, state]) => [keyOf(place), state]));
  return Buffer.from(JSON.stringify({ run, at: states }), 'utf8').toString('base64url');
}

/** A source that was not there when the cursor was made begins after its run, in what is there now. */
export function parseListCursor(text: string): ListCursor {
  try {
    const value = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
    if (isJsonObject(value)) {
      const { run, at } = value;
      if (typeof run === 'string' && isRunId(run) && isJsonObject(at)) {
        const stateOf = (place: string) => {
          const state = at[keyOf(place)];
          return typeof state === 'string' ? state : undefined;
        };
        return { run, at: stateOf };
      }
    }
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
  }
  throw new UsageError({
    code: 'E_CURSOR',
    message: `"${text.slice(0, 60)}" is no cursor of a list.`,
    hint: 'Give the cursor that the page before ended with, or none for the first page.',
  });
}

/** Places are long, and a cursor is copied by hand. */
function keyOf(place: string): string {
  return digestOf(place).slice(0, 8);
}
