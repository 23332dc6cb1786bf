import type { KeyboardEvent, ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './tabs.module.css';

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: ReactNode;
}

interface TabsProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly value: Id;
  readonly onChange: (id: Id) => void;
  /** The id of the part that they switch. */
  readonly controls?: string;
}

/** Tabs that switch a part of the page. */
export function Tabs<Id extends string>({ label, tabs, value, onChange, controls }: TabsProps<Id>) {
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = tabs[(tabs.findIndex(({ id }) => id === value) + step + tabs.length) % tabs.length];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    onChange(next.id);
    const buttons = event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]');
    buttons[tabs.indexOf(next)]?.focus();
  };
  return (
    <div className={styles.tabs} role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ id, label: text }) => (
        <button
          key={id}
          type="button"
          role="tab"
          className={classes(styles.tab, id === value && styles.isOn)}
          aria-selected={id === value}
          aria-controls={controls}
          tabIndex={id === value ? 0 : -1}
          onClick={() => onChange(id)}
          // As wide as when it is chosen and bold: the others stay where they are.
          data-text={typeof text === 'string' ? text : undefined}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

/** A row of links that look like tabs: each is a page of its own. Give each `className={tabLinkClass}`; the current one has `aria-current`. */
export function TabLinks({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {children}
    </nav>
  );
}

export const tabLinkClass = styles.tab;
