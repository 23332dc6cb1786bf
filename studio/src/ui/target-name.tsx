import { classes } from './classes.ts';
import styles from './target-name.module.css';

/** A target by its name. Where there is no room the name of its provider goes first, and wholly: models are told apart by their own. */
export function TargetName({
  target,
  className,
}: {
  readonly target: string;
  readonly className?: string | undefined;
}) {
  const slash = target.lastIndexOf('/') + 1;
  return (
    <span className={classes(styles.target, className)} title={target}>
      {slash > 0 && <span className={styles.maker}>{target.slice(0, slash)}</span>}
      <span className={styles.model}>{target.slice(slash)}</span>
    </span>
  );
}
