import { classes } from './classes.ts';
import styles from './kbd.module.css';
import { keyNames } from './key-spec.ts';

/** Keys as they are printed on the keyboard: `mod+k`, `g r`. */
export function Kbd({ keys, isQuiet = false }: { readonly keys: string; readonly isQuiet?: boolean }) {
  return (
    <span className={styles.keys}>
      {keyNames(keys).map((name) => (
        <kbd key={name} className={classes(styles.kbd, isQuiet && styles.quiet)}>
          {name}
        </kbd>
      ))}
    </span>
  );
}
