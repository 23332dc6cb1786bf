import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import styles from './find-bar.module.css';
import { type Found, firstFrom, nextHit, saidOf } from './find-state.ts';

interface FindBarProps {
  /** What is searched for. */
  readonly text: string;
  /** Another whenever somebody asks for the bar: also while it is there. */
  readonly asked: number;
  readonly found: Found;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** The event from which the first hit is looked for. */
  readonly from: () => number;
  readonly onSearch: (text: string) => void;
  readonly onGo: (event: number | undefined) => void;
  readonly onClose: () => void;
}

/** Searched when Enter is pressed, or when somebody has stopped typing for a moment. */
const TYPING_MS = 500;
const SHORT = 3;

export function FindBar(props: FindBarProps) {
  const { text, asked, found, error, onRetry, from, onSearch, onGo, onClose } = props;
  const [typed, setTyped] = useState(text);
  const input = useRef<HTMLInputElement>(null);
  const { current, step } = useCurrent(found, { text, from, onGo });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time somebody asks
  useEffect(() => input.current?.select(), [asked]);
  useEffect(() => {
    if (typed === text || typed.length < SHORT) return;
    const timer = setTimeout(() => onSearch(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, text, onSearch]);
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    else if (event.key !== 'Enter') return;
    else if (typed === text) step(event.shiftKey ? -1 : 1);
    else onSearch(typed);
    event.preventDefault();
  };
  const hit = current === undefined ? undefined : found.hits[current];
  return (
    <search className={styles.bar}>
      <input
        ref={input}
        className={styles.input}
        type="text"
        aria-label="Find in the transcript"
        placeholder="Find in the transcript"
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody pressed the key for it
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={press}
      />
      <span className={styles.said} role="status">
        {text !== '' && saidOf(found, current)}
      </span>
      <IconButton icon="chevron-up" label="Previous hit" onClick={() => step(-1)} />
      <IconButton icon="chevron-down" label="Next hit" onClick={() => step(1)} />
      {hit !== undefined && (
        <span className={styles.context}>
          event {hit.event + 1}: {hit.before}
          <mark>{hit.hit}</mark>
          {hit.after}
        </span>
      )}
      <IconButton icon="close" label="Close" className={styles.close} onClick={onClose} />
      {error !== undefined && <Problem error={error} onRetry={onRetry} what="Hits" />}
    </search>
  );
}

interface CurrentOptions {
  readonly text: string;
  readonly from: () => number;
  readonly onGo: (event: number | undefined) => void;
}

/** The hit one is at; the first after where one was, as soon as there is one. */
function useCurrent(found: Found, { text, from, onGo }: CurrentOptions) {
  const [current, setCurrent] = useState<number>();
  const start = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text begins where one is now
  useEffect(() => {
    start.current = from();
    setCurrent(undefined);
    onGo(undefined);
  }, [text]);
  const go = (hit: number | undefined) => {
    setCurrent(hit);
    if (hit !== undefined) onGo(found.hits[hit]?.event);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when hits have come
  useEffect(() => {
    if (current !== undefined || found.hits.length === 0) return;
    const isBehind = (found.hits.at(-1)?.event ?? 0) >= start.current;
    if (isBehind || found.isDone) go(firstFrom(found.hits, start.current));
  }, [found]);
  return { current, step: (by: 1 | -1) => go(nextHit(found.hits.length, current, by)) };
}
