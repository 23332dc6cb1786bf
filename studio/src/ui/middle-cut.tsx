import styles from './middle-cut.module.css';

/** So many of the last characters are always seen: names that begin alike differ there. */
const TAIL = 7;

/** A name that is cut in its middle where there is no room for all of it. */
export function MiddleCut({ text }: { readonly text: string }) {
  if (text.length <= TAIL * 2) return <>{text}</>;
  return (
    <span className={styles.whole} title={text}>
      <span className={styles.head}>{text.slice(0, -TAIL)}</span>
      <span className={styles.tail}>{text.slice(-TAIL)}</span>
    </span>
  );
}
