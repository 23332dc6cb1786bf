import type { KeyboardEvent, ReactNode } from 'react';
import { Kbd } from './kbd.tsx';
import styles from './popover.module.css';
import { type OpenerProps, Popover } from './popover.tsx';

export interface MenuItem {
  readonly label: string;
  readonly onChoose: () => void;
  readonly hotkey?: string;
  readonly isOff?: boolean;
  /** Present where items are chosen of, not done. */
  readonly isOn?: boolean;
}

interface MenuProps {
  readonly label: string;
  readonly opener: (props: OpenerProps) => ReactNode;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
}

export function Menu({ label, opener, items, align = 'end' }: MenuProps) {
  return (
    <Popover label={label} role="menu" align={align} opener={opener}>
      {(close) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: keys of the menu's items come up to here
        <div onKeyDown={moveInMenu} ref={focusFirst}>
          {items.map(({ label: text, onChoose, hotkey, isOff, isOn }) => (
            // biome-ignore lint/a11y/useAriaPropsSupportedByRole: only where the role is menuitemradio
            <button
              key={text}
              type="button"
              role={isOn === undefined ? 'menuitem' : 'menuitemradio'}
              aria-checked={isOn}
              className={styles.item}
              disabled={isOff}
              onClick={() => {
                close();
                onChoose();
              }}
            >
              <span className={styles.itemText}>{text}</span>
              {isOn === true && <span aria-hidden="true">✓</span>}
              {hotkey !== undefined && <Kbd keys={hotkey} />}
            </button>
          ))}
        </div>
      )}
    </Popover>
  );
}

function focusFirst(place: HTMLElement | null): void {
  place?.querySelector('button')?.focus();
}

function moveInMenu(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll('button')];
  const at = items.findIndex((item) => item.matches(':focus'));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  items[(next + items.length) % items.length]?.focus();
}
