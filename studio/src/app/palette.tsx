import { type KeyboardEvent, useId, useState } from 'react';
import { classes } from '../ui/classes.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import styles from './palette.module.css';
import { type PaletteItem, usePaletteItems } from './use-palette-items.ts';

interface PaletteProps {
  readonly onClose: () => void;
  readonly onKeys: () => void;
}

/** Goes anywhere by a few letters: pages, evals, runs, and the theme. */
export default function Palette({ onClose, onKeys }: PaletteProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const items = usePaletteItems(text, onKeys);
  const active = Math.max(0, Math.min(chosen, items.length - 1));
  const take = (item: PaletteItem | undefined) => {
    if (item === undefined) return;
    onClose();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((active + step + items.length) % items.length);
    else if (event.key === 'Enter') take(items[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" isTitleHidden onClose={onClose} className={styles.palette}>
      <input
        type="text"
        role="combobox"
        className={styles.input}
        aria-label="Go to a page, an eval or a run"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={items.length > 0 ? `${id}-${active}` : undefined}
        placeholder="Go to a page, an eval or a run"
        data-focus
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label="What was found" className={styles.list}>
        {items.map((item, index) => (
          <Line
            key={item.id}
            id={`${id}-${index}`}
            item={item}
            isActive={index === active}
            onTake={() => take(item)}
          />
        ))}
        {items.length === 0 && <p className={styles.nothing}>Nothing is called so.</p>}
      </div>
    </Dialog>
  );
}

interface LineProps {
  readonly id: string;
  readonly item: PaletteItem;
  readonly isActive: boolean;
  readonly onTake: () => void;
}

function Line({ id, item, isActive, onTake }: LineProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the input
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className={classes(styles.item, isActive && styles.isActive)}
      ref={(line) => {
        if (isActive) line?.scrollIntoView({ block: 'nearest' });
      }}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onTake}
    >
      <span className={styles.kind}>{item.kind}</span>
      <span className={styles.label}>
        {item.label} {item.about !== undefined && <span className={styles.about}>{item.about}</span>}
      </span>
      {item.keys !== undefined && <Kbd keys={item.keys} />}
    </div>
  );
}
