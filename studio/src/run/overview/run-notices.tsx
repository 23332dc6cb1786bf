import type { RunView } from '../../../../src/server/api.ts';
import { Ago } from '../../ui/figures.tsx';
import { Problem } from '../../ui/problem.tsx';
import styles from './overview.module.css';

/** What has to be known before anything else is read: damage, the error that ended it, what people noted. */
export function RunNotices({ run, error }: { readonly run: RunView; readonly error: unknown }) {
  const { item, problems, notes } = run;
  return (
    <>
      {error !== undefined && <Problem error={error} what="The newest state of this run" />}
      {item.damage !== undefined && (
        <p className={styles.notice}>
          <b>
            <span aria-hidden="true">✕ </span>This run is damaged.
          </b>{' '}
          {item.damage}
        </p>
      )}
      {run.error !== undefined && (
        <p className={styles.notice}>
          <b>
            <span aria-hidden="true">! </span>It ended with an error.
          </b>{' '}
          <code>{run.error}</code>
        </p>
      )}
      {problems.map(({ code, message, hint }) => (
        <p key={`${code} ${message}`} className={styles.notice}>
          {message} <span className={styles.hint}>{hint}</span> <code>{code}</code>
        </p>
      ))}
      {notes.length > 0 && (
        <ul className={styles.notes} aria-label="Notes">
          {notes
            .filter(({ sample, text }) => sample === undefined && text !== undefined)
            .map((note) => (
              <li key={note.id}>
                <b>{note.by}</b> <Ago time={note.time} /> {note.text}
              </li>
            ))}
        </ul>
      )}
    </>
  );
}
