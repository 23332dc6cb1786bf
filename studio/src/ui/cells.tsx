import type { RunFacts } from '../../../src/server/api.ts';
import styles from './cells.module.css';
import { shortCommit } from './run-words.ts';

/** One line of text; all of it on hover. */
export function Text({ text, isCode = false }: { readonly text: string; readonly isCode?: boolean }) {
  return (
    <span className={isCode ? styles.code : styles.text} title={text}>
      {text}
    </span>
  );
}

/** A commit as git shortens it; `+` where there were changes that it has not got. */
export function Commit({ code }: { readonly code: RunFacts['code'] }) {
  if (code === undefined) return null;
  const about = `${code.commit}${code.branch === undefined ? '' : ` on ${code.branch}`}${code.isDirty ? ', with changes that are not committed' : ''}`;
  return (
    <span className={styles.code} title={about}>
      {shortCommit(code.commit)}
      {code.isDirty && <span className={styles.dirty}>+</span>}
    </span>
  );
}
