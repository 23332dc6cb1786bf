import { Button, IconButton } from './button.tsx';
import styles from './column-picker.module.css';
import type { ListColumn } from './list-columns.ts';
import { Popover } from './popover.tsx';

interface ColumnPickerProps {
  readonly chosen: readonly ListColumn[];
  /** All that can be chosen; asked for when the list opens. */
  readonly all: () => readonly ListColumn[];
  readonly onChange: (names: readonly string[]) => void;
}

/** Which columns there are, and in which order. */
export function ColumnPicker({ chosen, all, onChange }: ColumnPickerProps) {
  return (
    <Popover
      label="Columns"
      align="end"
      className={styles.picker}
      opener={(props) => (
        <Button {...props} icon="columns">
          Columns
        </Button>
      )}
    >
      {() => <ColumnList chosen={chosen} all={all()} onChange={onChange} />}
    </Popover>
  );
}

interface ColumnListProps {
  readonly chosen: readonly ListColumn[];
  readonly all: readonly ListColumn[];
  readonly onChange: (names: readonly string[]) => void;
}

function ColumnList({ chosen, all, onChange }: ColumnListProps) {
  const names = chosen.map(({ id }) => id);
  const others = all.filter(({ id }) => !names.includes(id));
  const move = (id: string, step: number) => {
    const at = names.indexOf(id);
    const rest = names.filter((name) => name !== id);
    onChange([...rest.slice(0, at + step), id, ...rest.slice(at + step)]);
  };
  return (
    <>
      <ul className={styles.list}>
        {chosen.map(({ id, label }, at) => (
          <li key={id} className={styles.item}>
            <label className={styles.label}>
              <input
                type="checkbox"
                checked
                disabled={names.length === 1}
                onChange={() => onChange(names.filter((name) => name !== id))}
              />
              {label}
            </label>
            <IconButton
              icon="chevron-up"
              label={`${label}: further left`}
              disabled={at === 0}
              onClick={() => move(id, -1)}
            />
            <IconButton
              icon="chevron-down"
              label={`${label}: further right`}
              disabled={at === chosen.length - 1}
              onClick={() => move(id, 1)}
            />
          </li>
        ))}
        {others.map(({ id, label }) => (
          <li key={id} className={styles.item}>
            <label className={styles.label}>
              <input type="checkbox" checked={false} onChange={() => onChange([...names, id])} />
              {label}
            </label>
          </li>
        ))}
      </ul>
      <Button kind="quiet" onClick={() => onChange([])}>
        As usual
      </Button>
    </>
  );
}
