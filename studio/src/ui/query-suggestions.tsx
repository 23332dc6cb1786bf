import { classes } from './classes.ts';
import { formatCount } from './format.ts';
import styles from './query-input.module.css';

export interface Suggestion {
  readonly text: string;
  readonly about: string;
  readonly count?: number;
}

interface QuerySuggestionsProps {
  readonly id: string;
  readonly items: readonly Suggestion[];
  readonly active: number;
  readonly onTake: (index: number) => void;
}

export function QuerySuggestions({ id, items, active, onTake }: QuerySuggestionsProps) {
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label="What may follow"
      className={styles.list}
      hidden={items.length === 0}
    >
      {items.map(({ text, about, count }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the input
        <div
          key={text}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          className={classes(styles.item, index === active && styles.isActive)}
          // The input must not lose its focus to it.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(index)}
        >
          <code className={styles.itemText}>{text}</code>
          <span className={styles.about}>{about}</span>
          {count !== undefined && <span className={styles.count}>{formatCount(count)}</span>}
        </div>
      ))}
    </div>
  );
}
