import { useEffect, useRef, useState } from 'react';
import { IconButton } from './button.tsx';
import { Field } from './field.tsx';
import styles from './query-field.module.css';
import { useKeys } from './use-keys.ts';

interface QueryFieldProps {
  readonly label: string;
  readonly placeholder?: string;
  /** As the address has it. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly wrong?: { readonly at: number; readonly message: string } | undefined;
  /** How long after the last key it is asked; only by Enter when it is undefined. */
  readonly waitMs?: number | undefined;
  readonly isFocused?: boolean;
}

/** A field for a filter or a search. What is typed is shown at once, and asked for a moment later; `/` goes there. */
export function QueryField(props: QueryFieldProps) {
  const { label, placeholder, value, onChange, wrong, waitMs, isFocused = false } = props;
  const [typed, setTyped] = useState(value);
  const box = useRef<HTMLDivElement>(null);
  const asked = useRef(value);
  const ask = (text: string) => {
    if (text === asked.current) return;
    asked.current = text;
    onChange(text);
  };
  // Another value than the one that was asked for here: Back was pressed, or a filter was chosen elsewhere.
  useEffect(() => {
    if (value === asked.current) return;
    asked.current = value;
    setTyped(value);
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the wait
  useEffect(() => {
    if (waitMs === undefined || typed === asked.current) return;
    const timer = setTimeout(() => ask(typed), waitMs);
    return () => clearTimeout(timer);
  }, [typed, waitMs]);
  const input = () => box.current?.querySelector('input');
  useKeys('Page', [{ keys: '/', what: label, run: () => input()?.focus() }]);
  return (
    <div ref={box} className={styles.box}>
      <Field
        label={label}
        isLabelHidden
        type="search"
        spellCheck={false}
        autoComplete="off"
        placeholder={placeholder}
        value={typed}
        autoFocus={isFocused}
        wrong={wrong === undefined ? undefined : `${wrong.message} (at character ${wrong.at + 1})`}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') ask(typed);
          if (event.key === 'Escape') input()?.blur();
        }}
      />
      {typed !== '' && (
        <span className={styles.clear}>
          <IconButton
            icon="close"
            label="Clear"
            onClick={() => {
              setTyped('');
              ask('');
              input()?.focus();
            }}
          />
        </span>
      )}
    </div>
  );
}
