import { useEffect, useRef, useSyncExternalStore } from 'react';
import { type KeyPressed, matchKeys } from './key-spec.ts';
import { readPersisted } from './use-persisted.ts';

/** A key and what it does, as the sheet of keys says it. */
export interface Key {
  /** Several ways to press it, the first is shown: `['j', 'ArrowDown']`. */
  readonly keys: string | readonly string[];
  readonly what: string;
  readonly run: (event: KeyboardEvent) => void;
  /** Also while typing. */
  readonly isEverywhere?: boolean;
  readonly isOff?: boolean;
}

interface Registered {
  readonly group: string;
  readonly keys: readonly Key[];
}

const SEQUENCE_MS = 1_000;
export const SINGLE_KEYS = 'holdfast.single-keys';

let registered: readonly Registered[] = [];
const watchers = new Set<() => void>();
let pressed: readonly KeyPressed[] = [];
let lastAt = 0;

/**
 * Listens for keys while the component is there. What came last is asked first, so a page may have a key that the shell has, too.
 * Single keys are silent in fields, and with Alt, Ctrl or ⌘ held.
 */
export function useKeys(group: string, keys: readonly Key[]): void {
  const latest = useRef(keys);
  const text = keys.map(({ keys: specs, what, isOff }) => `${specs}\t${what}\t${isOff === true}`).join('\n');
  useEffect(() => {
    latest.current = keys;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: registered anew only when the sheet would print another text
  useEffect(() => {
    const shown = latest.current.map((key, index) => ({
      ...key,
      run: (event: KeyboardEvent) => latest.current[index]?.run(event),
    }));
    const mine = { group, keys: shown };
    setRegistered([...registered, mine]);
    return () => setRegistered(registered.filter((other) => other !== mine));
  }, [group, text]);
}

/** All keys that do something now. */
export function useRegisteredKeys(): readonly Registered[] {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => registered,
  );
}

function setRegistered(next: readonly Registered[]): void {
  if (registered.length === 0 && next.length > 0) document.addEventListener('keydown', onKeyDown);
  if (next.length === 0) document.removeEventListener('keydown', onKeyDown);
  registered = next;
  for (const watcher of watchers) watcher();
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return;
  const now = event.timeStamp;
  pressed = now - lastAt > SEQUENCE_MS ? [event] : [...pressed, event];
  lastAt = now;
  const found = findKey(event, pressed) ?? findKey(event, [event]);
  if (found === 'begun') return;
  pressed = [];
  if (found === undefined) return;
  event.preventDefault();
  found.run(event);
}

function findKey(event: KeyboardEvent, sequence: readonly KeyPressed[]): Key | 'begun' | undefined {
  let isBegun = false;
  for (const key of registered.toReversed().flatMap(({ keys }) => keys)) {
    if (key.isOff === true || !isHeard(key, event)) continue;
    const specs = typeof key.keys === 'string' ? [key.keys] : key.keys;
    const matches = specs.map((spec) => matchKeys(spec, sequence));
    if (matches.includes('whole')) return key;
    isBegun ||= matches.includes('begun');
  }
  return isBegun ? 'begun' : undefined;
}

/** Whoever types, or has a control that takes the key itself, is not disturbed. */
function isHeard(key: Key, event: KeyboardEvent): boolean {
  if (key.isEverywhere === true) return true;
  const { target } = event;
  if (!(target instanceof Element)) return true;
  if (document.querySelector('dialog:modal') !== null) return false;
  const isModified = event.ctrlKey || event.metaKey;
  if (isTyping(target) && !isModified) return false;
  if (!isModified && event.key.length === 1 && readPersisted(SINGLE_KEYS) === false) return false;
  const isPress = event.key === 'Enter' || event.key === ' ';
  return !(
    isPress &&
    !isModified &&
    target.closest('button, a, input, summary, select, [role=menuitem], [role=option]') !== null
  );
}

function isTyping(target: Element): boolean {
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'range', 'button'].includes(target.type);
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLElement && target.isContentEditable;
}

function isModifier(key: string): boolean {
  return key === 'Shift' || key === 'Control' || key === 'Alt' || key === 'Meta';
}
