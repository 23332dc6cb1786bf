import { type ComponentProps, type ReactNode, useId } from 'react';
import { classes } from './classes.ts';
import styles from './field.module.css';

interface FieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly hint?: ReactNode;
  /** What is wrong with what is in it. */
  readonly wrong?: string | undefined;
}

/** An input with its label, a hint, and what is wrong with it. */
export function Field({ label, isLabelHidden = false, hint, wrong, className, ...rest }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  return (
    <div className={classes(styles.field, className)}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      <input
        type="text"
        {...rest}
        id={id}
        className={styles.input}
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong !== undefined || hint !== undefined ? noteId : undefined}
      />
      {(wrong !== undefined || hint !== undefined) && (
        <p id={noteId} className={wrong === undefined ? styles.hint : styles.wrong}>
          {wrong ?? hint}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
}

/** One of a few, by the browser's own list. */
export function Choice<Value extends string>({
  label,
  isLabelHidden = false,
  value,
  options,
  onChange,
}: ChoiceProps<Value>) {
  const id = useId();
  return (
    <span className={styles.choice}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      <select
        id={id}
        className={styles.select}
        value={value}
        onChange={(event) => {
          const chosen = options[event.target.selectedIndex];
          if (chosen !== undefined) onChange(chosen.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </span>
  );
}
