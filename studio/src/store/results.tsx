import type { ReactNode } from 'react';
import type { StoreView } from '../../../src/server/api.ts';
import { counted } from '../ui/counted.ts';
import { Ago } from '../ui/figures.tsx';
import sectionStyles from '../ui/sections.module.css';
import styles from './store-page.module.css';

type ResultsState = NonNullable<StoreView['results']>;

/** The results in git: which commit is shown, and what the remote has not got. */
export function Results({ results }: { readonly results: ResultsState }) {
  const { repository, branch, commit, remote, waiting, lastFetch, unread } = results;
  return (
    <section aria-labelledby="results">
      <h2 id="results">Results in git</h2>
      <dl className={sectionStyles.facts}>
        <Fact name="Repository">
          <code>{repository}</code>
        </Fact>
        <Fact name="Branch">
          <code>{branch}</code>
        </Fact>
        <Fact name="Commit">
          {commit === undefined ? 'nothing was published yet' : <code>{commit}</code>}
        </Fact>
        <Fact name="Remote">
          {remote === undefined ? 'none: these results are only here' : <code>{remote}</code>}
        </Fact>
        {waiting !== undefined && (
          <Fact name="To be pushed">{waiting === 0 ? 'nothing' : counted(waiting, 'run')}</Fact>
        )}
        {lastFetch !== undefined && (
          <Fact name="Last fetched">
            <Ago time={lastFetch} /> ago
          </Fact>
        )}
      </dl>
      {unread.map(({ code, message, hint }) => (
        <p key={`${code} ${message}`} className={styles.problem}>
          {message} <span className={styles.quiet}>{hint}</span>
        </p>
      ))}
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
