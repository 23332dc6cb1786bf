import type { RunsPage } from '../../../src/server/api.ts';
import { formatCount } from '../ui/format.ts';
import styles from './runs-notices.module.css';

/** What has to be known to read the list: that it is not whole yet, and which places could not be read. */
export function RunsNotices({ page, isFiltered }: { readonly page: RunsPage; readonly isFiltered: boolean }) {
  const { index, problems } = page;
  return (
    <>
      {!index.isWhole && (
        <p className={styles.notice} role="status">
          <span className={styles.spot} aria-hidden="true" />
          The store is being read: {formatCount(index.read)} runs so far.{' '}
          {isFiltered
            ? 'The newest are shown; the filter applies when all have been read.'
            : 'The newest are shown.'}
        </p>
      )}
      {problems.length > 0 && (
        <details className={styles.problems}>
          <summary>
            <span aria-hidden="true">!</span>{' '}
            {problems.length === 1 ? 'One place' : `${formatCount(problems.length)} places`} could not be read
          </summary>
          <ul>
            {problems.map(({ code, message, hint, place }) => (
              <li key={`${code} ${place ?? ''} ${message}`}>
                {message} <span className={styles.hint}>{hint}</span> <code>{code}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
