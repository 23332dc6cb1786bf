import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { focusList } from './focus-list.ts';
import { type Complete, offered, takeCompletion } from './take-completion.ts';
import { useDelayed } from './use-delayed.ts';

interface QueryTextOptions {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly complete: Complete;
}

interface Caret {
  readonly at: number;
  /** The suggestion that the arrows are at. */
  readonly active: number;
  /** Whether something was written since the input was entered: then Tab takes the first suggestion. */
  readonly isTyped: boolean;
}

const WAIT_MS = 180;
const NOTHING = { from: 0, to: 0, items: [] };

/** The text of a filter while it is written: told after a moment of rest, or at once by Enter. */
export function useQueryText({ input, value, onChange, complete }: QueryTextOptions) {
  const [text, setText] = useState(value);
  const [caret, setCaret] = useState<Caret>();
  const told = useRef(value);
  const placeCaret = usePlacedCaret(input);
  const tell = useDelayed((next: string) => {
    told.current = next.trim();
    onChange(next.trim());
  }, WAIT_MS);
  useEffect(() => {
    // Only what came from elsewhere: Back, or a chip that was taken away.
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);

  const completed = caret === undefined ? NOTHING : complete(text, caret.at);
  const suggestions = offered(text, completed);
  const active = caret === undefined ? -1 : Math.min(caret.active, suggestions.length - 1);
  const write = (next: string, at: number) => {
    setText(next);
    setCaret({ at, active: -1, isTyped: true });
    tell.later(next);
  };
  const take = (index: number) => {
    const item = suggestions[index];
    if (item === undefined) return;
    const next = takeCompletion(text, completed, item.text);
    write(next.text, next.caret);
    placeCaret(next.caret);
  };
  const close = () => setCaret(undefined);
  return {
    text,
    suggestions,
    active,
    take,
    close,
    type: (next: string) => write(next, input.current?.selectionStart ?? next.length),
    open: () => setCaret({ at: input.current?.selectionStart ?? text.length, active: -1, isTyped: false }),
    clear: () => {
      setText('');
      tell.now('');
      input.current?.focus();
    },
    onKey: (event: KeyboardEvent) => {
      const move = (step: number) => {
        const count = suggestions.length;
        const next = (Math.max(active, step > 0 ? -1 : 0) + step + count) % count;
        setCaret({ at: caret?.at ?? 0, active: next, isTyped: false });
      };
      const does = doneBy(event, {
        isOpen: suggestions.length > 0,
        active,
        isTyped: caret?.isTyped === true,
      });
      if (does === undefined) return;
      event.preventDefault();
      if (does === 'next') move(1);
      else if (does === 'previous') move(-1);
      else if (does === 'take') take(Math.max(0, active));
      else if (does === 'leave') {
        input.current?.blur();
        focusList();
      } else {
        if (does === 'tell') tell.now(text);
        close();
      }
    },
  };
}

/** Puts the caret where it belongs as soon as the text is there: the next key may be pressed before the next frame. */
function usePlacedCaret(input: RefObject<HTMLInputElement | null>): (at: number) => void {
  const wanted = useRef<number>(undefined);
  useLayoutEffect(() => {
    const { current: at } = wanted;
    wanted.current = undefined;
    if (at !== undefined) input.current?.setSelectionRange(at, at);
  });
  return (at) => {
    wanted.current = at;
  };
}

interface Open {
  readonly isOpen: boolean;
  readonly active: number;
  readonly isTyped: boolean;
}

/** What a key does in the input of a filter; undefined: what it does in any other. */
function doneBy({ key, shiftKey }: KeyboardEvent, { isOpen, active, isTyped }: Open) {
  if (key === 'ArrowDown' && isOpen) return 'next';
  if (key === 'ArrowUp' && isOpen) return 'previous';
  if (key === 'Tab' && !shiftKey && isOpen && (active >= 0 || isTyped)) return 'take';
  if (key === 'Enter') return active >= 0 ? 'take' : 'tell';
  if (key === 'Escape') return isOpen ? 'close' : 'leave';
  return undefined;
}
