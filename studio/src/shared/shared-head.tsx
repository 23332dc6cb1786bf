import { Link } from '@tanstack/react-router';
import type { SharedRunView } from '../../../src/server/api.ts';
import { CommandsMenu } from '../ui/commands-menu.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Ago } from '../ui/figures.tsx';
import { Badge } from '../ui/outcome.tsx';
import styles from './shared-head.module.css';
import { stateShown } from './shared-words.ts';

/** Which run it is, how it goes in one sentence, and what can be done about it. */
export function SharedHead({ view }: { readonly view: SharedRunView }) {
  const { row, said, bucket, isHere, commands } = view;
  const { tone, glyph, word } = stateShown(row);
  return (
    <header className={styles.head}>
      <div className={styles.top}>
        <h1 className={styles.title}>
          {row.eval}
          <span className={styles.target}>{row.target}</span>
        </h1>
        <Badge tone={tone} glyph={glyph}>
          {word}
        </Badge>
        <span className={styles.actions}>
          <CopyButton text={row.run}>Copy id</CopyButton>
          <CommandsMenu commands={commands} />
        </span>
      </div>
      <p className={styles.said}>{said}</p>
      <ul className={styles.meta} aria-label="About the run">
        <li>
          <code>{row.run}</code>
        </li>
        <li>
          submitted <Ago time={row.submittedAt} /> ago by {row.submittedBy}
        </li>
        <li>round {row.round}</li>
        <li>
          in <code>{bucket}</code>
        </li>
        <li>
          {isHere ? (
            <Link to="/runs/$run/{-$tab}" params={{ run: row.run }}>
              its log is here ›
            </Link>
          ) : (
            'not fetched here yet'
          )}
        </li>
        <li>
          <Link to="/shared">all shared runs ›</Link>
        </li>
      </ul>
    </header>
  );
}
