import { type KeyboardEvent, useId, useRef } from 'react';
import { Icon } from './icon.tsx';
import { Kbd } from './kbd.tsx';
import styles from './query-input.module.css';
import { QuerySuggestions } from './query-suggestions.tsx';
import type { Complete } from './take-completion.ts';
import { useKeys } from './use-keys.ts';
import { useQueryText } from './use-query-text.ts';

interface QueryInputProps {
  readonly label: string;
  readonly placeholder: string;
  /** The filter as it is in the address. */
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly complete: Complete;
  /** What is wrong with it, and from which character on. */
  readonly wrong?: { readonly at: number; readonly message: string } | undefined;
}

/** The input of a filter: `/` goes to it, what may follow is offered, and what is wrong is said under it. */
export function QueryInput({ label, placeholder, value, onChange, complete, wrong }: QueryInputProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const query = useQueryText({ input, value, onChange, complete });
  useKeys('Lists', [{ keys: '/', what: 'Filter', run: () => input.current?.select() }]);
  const { suggestions, active } = query;
  const isOpen = suggestions.length > 0;
  return (
    <div className={styles.query}>
      <label htmlFor={id} className="visually-hidden">
        {label}
      </label>
      <span className={styles.icon}>
        <Icon name="search" size={14} />
      </span>
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className={styles.input}
        placeholder={placeholder}
        value={query.text}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && active >= 0 ? `${id}-${active}` : undefined}
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong === undefined ? undefined : `${id}-wrong`}
        onChange={(event) => query.type(event.target.value)}
        onKeyDown={(event: KeyboardEvent) => query.onKey(event)}
        onFocus={query.open}
        onClick={query.open}
        onBlur={query.close}
      />
      {query.text === '' ? (
        <span className={styles.hint}>
          <Kbd keys="/" />
        </span>
      ) : (
        <button type="button" className={styles.clear} aria-label="Clear the filter" onClick={query.clear}>
          <Icon name="close" size={12} />
        </button>
      )}
      <QuerySuggestions id={id} items={suggestions} active={active} onTake={query.take} />
      {wrong !== undefined && (
        <p id={`${id}-wrong`} className={styles.wrong} role="status">
          {wrong.message}
        </p>
      )}
    </div>
  );
}
