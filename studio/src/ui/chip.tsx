import type { ReactNode } from 'react';
import styles from './chip.module.css';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';

interface ChipProps {
  readonly children: ReactNode;
  readonly isOn?: boolean | undefined;
  readonly onClick?: (() => void) | undefined;
  readonly onRemove?: (() => void) | undefined;
  /** What is removed, for those who cannot see it. */
  readonly removeLabel?: string;
  readonly title?: string | undefined;
}

/** A small word: a tag, a filter that can be switched, or one that can be taken away. */
export function Chip({ children, isOn, onClick, onRemove, removeLabel = 'Remove', title }: ChipProps) {
  if (onClick !== undefined)
    return (
      <button
        type="button"
        className={classes(styles.chip, styles.press, isOn === true && styles.isOn)}
        aria-pressed={isOn}
        onClick={onClick}
        title={title}
      >
        {children}
      </button>
    );
  return (
    <span className={styles.chip} title={title}>
      {children}
      {onRemove !== undefined && (
        <button type="button" className={styles.remove} aria-label={removeLabel} onClick={onRemove}>
          <Icon name="close" size={10} />
        </button>
      )}
    </span>
  );
}
