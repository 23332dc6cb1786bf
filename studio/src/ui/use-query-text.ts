import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { Suggestion } from './query-suggestions.tsx';
import { useDelayed } from './use-delayed.ts';

/** What may follow at the caret, and which part of the text it replaces. */
export type Complete = (
  text: string,
  caret: number,
) => { readonly from: number; readonly to: number; readonly items: readonly Suggestion[] };

interface QueryTextOptions {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly complete: Complete;
}

const WAIT_MS = 180;
const NOTHING = { from: 0, to: 0, items: [] };

/** The text of a filter while it is written: told after a moment of rest, or at once by Enter. */
export function useQueryText({ input, value, onChange, complete }: QueryTextOptions) {
  const [text, setText] = useState(value);
  const [at, setAt] = useState<{ caret: number; active: number; isTyped: boolean }>();
  const told = useRef(value);
  const tell = useDelayed((next: string) => {
    told.current = next.trim();
    onChange(next.trim());
  }, WAIT_MS);
  useEffect(() => {
    // Only what came from elsewhere: Back, or a chip that was taken away.
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);

  const completions = at === undefined ? NOTHING : complete(text, at.caret);
  const isExact =
    completions.items.length === 1 &&
    completions.items[0]?.text === text.slice(completions.from, completions.to);
  const suggestions = isExact ? [] : completions.items;
  const active = at === undefined ? -1 : Math.min(at.active, suggestions.length - 1);

  const type = (next: string) => {
    setText(next);
    setAt({ caret: input.current?.selectionStart ?? next.length, active: -1, isTyped: true });
    tell.later(next);
  };
  const take = (index: number) => {
    const item = suggestions[index];
    if (item === undefined) return;
    const isField = /[:.]$/.test(item.text) || /^[a-z]+$/.test(item.text);
    const rest = text.slice(completions.to);
    const gap = isField || rest.startsWith(' ') ? '' : ' ';
    const caret = completions.from + item.text.length + gap.length;
    const next = text.slice(0, completions.from) + item.text + gap + rest;
    setText(next);
    setAt({ caret, active: -1, isTyped: true });
    tell.later(next);
    requestAnimationFrame(() => input.current?.setSelectionRange(caret, caret));
  };
  const move = (step: number) => {
    const count = suggestions.length;
    setAt({
      caret: at?.caret ?? 0,
      active: (Math.max(active, step > 0 ? -1 : 0) + step + count) % count,
      isTyped: false,
    });
  };
  const close = () => setAt(undefined);
  const onKey = (event: KeyboardEvent) => {
    const isOpen = suggestions.length > 0;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && isOpen) move(step);
    else if (event.key === 'Tab' && !event.shiftKey && isOpen && (active >= 0 || at?.isTyped === true))
      take(Math.max(0, active));
    else if (event.key === 'Enter' && active >= 0) take(active);
    else if (event.key === 'Enter') {
      tell.now(text);
      close();
    } else if (event.key === 'Escape' && isOpen) close();
    else if (event.key === 'Escape') input.current?.blur();
    else return;
    event.preventDefault();
  };
  const clear = () => {
    setText('');
    tell.now('');
    input.current?.focus();
  };
  const open = () =>
    setAt({ caret: input.current?.selectionStart ?? text.length, active: -1, isTyped: false });
  return { text, suggestions, active, type, take, onKey, clear, open, close };
}
