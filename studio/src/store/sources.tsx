import type { StoreView } from '../../../src/server/api.ts';
import { classes } from '../ui/classes.ts';
import { formatCount, formatDuration } from '../ui/format.ts';
import { Badge } from '../ui/outcome.tsx';
import sectionStyles from '../ui/sections.module.css';
import styles from './store-page.module.css';

const KINDS = {
  results: 'results in git',
  logs: 'logs',
  journals: 'runs under way',
  agentv: 'runs of AgentV',
} as const;

/** The places that are looked into. */
export function Sources({ sources }: { readonly sources: StoreView['sources'] }) {
  return (
    <section aria-labelledby="sources">
      <h2 id="sources">Sources</h2>
      <table className={classes(sectionStyles.table, styles.sources)}>
        <thead>
          <tr>
            <th scope="col">Place</th>
            <th scope="col">Holds</th>
            <th scope="col" className={styles.right}>
              Runs
            </th>
            <th scope="col" className={styles.right}>
              Damaged
            </th>
            <th scope="col" className={styles.right}>
              Read in
            </th>
          </tr>
        </thead>
        <tbody>
          {sources.map(({ place, kind, runs, damaged, lookMs, problem }) => (
            <tr key={`${kind} ${place}`}>
              <td>
                <code>{place}</code>
                {problem !== undefined && (
                  <p className={styles.problem}>
                    <Badge tone="error" glyph="!">
                      {problem.code}
                    </Badge>{' '}
                    {problem.message} <span className={styles.quiet}>{problem.hint}</span>
                  </p>
                )}
              </td>
              <td>{KINDS[kind]}</td>
              <td className={styles.right}>{formatCount(runs)}</td>
              <td className={styles.right}>{damaged === 0 ? '0' : <Damaged count={damaged} />}</td>
              <td className={styles.right}>{formatDuration(lookMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Damaged({ count }: { readonly count: number }) {
  return (
    <Badge tone="error" glyph="✕">
      {formatCount(count)}
    </Badge>
  );
}
