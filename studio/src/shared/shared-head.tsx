import { Link } from '@tanstack/react-router';
import type { SharedRunView } from '../../../src/server/api.ts';
import { CommandsMenu } from '../ui/commands-menu.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { counted } from '../ui/counted.ts';
import { Ago } from '../ui/figures.tsx';
import { Badge } from '../ui/outcome.tsx';
import headStyles from '../ui/page-head.module.css';
import styles from './shared-head.module.css';
import { stateShown } from './shared-words.ts';

/** Which run it is, how it goes in one sentence, and what can be done about it. */
export function SharedHead({ view }: { readonly view: SharedRunView }) {
  const { row, said, bucket, isHere, commands } = view;
  const { tone, glyph, word } = stateShown(row);
  return (
    <header className={headStyles.head}>
      <div className={headStyles.top}>
        <h1 className={headStyles.title}>
          {row.eval}
          <span className={styles.dot} aria-hidden="true">
            ·
          </span>
          <span className={headStyles.target}>{row.target}</span>
        </h1>
        <Badge tone={tone} glyph={glyph}>
          {word}
        </Badge>
        <span className={headStyles.actions}>
          <CopyButton text={row.run}>Copy id</CopyButton>
          <CommandsMenu commands={commands} />
        </span>
      </div>
      <p className={headStyles.said}>{said}</p>
      <Damage view={view} />
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

const SHOWN_MAX = 10;

/** What of the run cannot be read: the rest of the page is whole without it. */
function Damage({ view: { damaged } }: { readonly view: SharedRunView }) {
  if (damaged.length === 0) return null;
  return (
    <div className={styles.damage} role="alert">
      <p>
        {counted(damaged.length, 'stored object')} of this run cannot be read. Nothing else is lost by it:
        restore it from a copy, or resume the run, which goes past it.
      </p>
      <ul>
        {damaged.slice(0, SHOWN_MAX).map(({ key, job, problem }) => (
          <li key={key}>
            {job !== undefined && <code>{job}</code>} {problem}
          </li>
        ))}
        {damaged.length > SHOWN_MAX && <li>and {damaged.length - SHOWN_MAX} more: holdfast runs status</li>}
      </ul>
    </div>
  );
}
