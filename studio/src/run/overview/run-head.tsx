import { Link } from '@tanstack/react-router';
import type { RunView } from '../../../../src/server/api.ts';
import { lookOfRun } from '../../../../src/views/index.ts';
import { Chip } from '../../ui/chip.tsx';
import { Ago } from '../../ui/figures.tsx';
import { Badge } from '../../ui/outcome.tsx';
import { shownAs } from '../../ui/outcomes.ts';
import { LiveProgress } from './live-progress.tsx';
import styles from './overview.module.css';
import { sessionsSaid } from './sessions-said.ts';

/** What run it is, how it ended, from which code, by whom; and in one sentence how it went. */
export function RunHead({ run }: { readonly run: RunView }) {
  const { item } = run;
  const { facts } = item;
  const look = shownAs(lookOfRun(item));
  const sessions = sessionsSaid(run.sessions);
  return (
    <header className={styles.head}>
      <div className={styles.first}>
        <h1 className={styles.title}>
          {facts === undefined ? (
            item.name
          ) : (
            <>
              <Link to="/evals/$eval" params={{ eval: facts.eval }} title="All runs of this eval">
                {facts.eval}
              </Link>
              <span className={styles.dot}>·</span>
              {facts.target}
            </>
          )}
        </h1>
        <Badge tone={look.tone} glyph={look.glyph}>
          {look.word}
        </Badge>
        {facts?.code !== undefined && (
          <code
            className={styles.commit}
            title={`${facts.code.commit}${facts.code.isDirty ? ', with changes' : ''}`}
          >
            {facts.code.commit.slice(0, 7)}
            {facts.code.isDirty && '+'}
            {facts.code.branch !== undefined && ` ${facts.code.branch}`}
          </code>
        )}
        {facts?.by !== undefined && (
          <span>
            by {facts.by.user}@{facts.by.host}
          </span>
        )}
        {facts !== undefined && <Ago time={facts.start} />}
        {sessions !== '' && <span title={run.sessions.map(({ said }) => said).join('\n')}>{sessions}</span>}
        {facts?.tags.map((tag) => (
          <Chip key={tag}>{tag}</Chip>
        ))}
        {item.removed === true && <Badge tone="quiet">removed</Badge>}
      </div>
      <p className={styles.said}>{run.said}</p>
      {facts !== undefined && item.form === 'running' && <LiveProgress facts={facts} />}
    </header>
  );
}
