import type { ReactNode } from 'react';
import type { RunView } from '../../../../src/server/api.ts';
import { Commit } from '../../ui/cells.tsx';
import { Ago } from '../../ui/figures.tsx';
import { formatCount, formatTime } from '../../ui/format.ts';
import { Popover } from '../../ui/popover.tsx';
import styles from './run-meta.module.css';
import { sessionMark, sessionsSaid, sessionTimes, sessionWords } from './session-words.ts';

interface RunMetaProps {
  readonly view: RunView;
  readonly onNotes: () => void;
}

/** Where the run comes from, on one line; more of each on demand. */
export function RunMeta({ view, onNotes }: RunMetaProps) {
  const { item, dataset, epochs, notes } = view;
  const { facts } = item;
  return (
    <ul className={styles.meta} aria-label="About the run">
      {facts?.code !== undefined && (
        <li>
          <Commit code={facts.code} /> {facts.code.branch}
        </li>
      )}
      {facts?.by !== undefined && <li>{`${facts.by.user}@${facts.by.host}`}</li>}
      {facts !== undefined && (
        <li title={formatTime(facts.start)}>
          <Ago time={facts.start} />
        </li>
      )}
      {dataset !== '' && <li>{dataset}</li>}
      {epochs > 1 && <li>{formatCount(epochs)} epochs</li>}
      <Sessions sessions={view.sessions} />
      <Places view={view} />
      {notes.length > 0 && (
        <li>
          <button type="button" className={styles.more} onClick={onNotes}>
            {notes.length === 1 ? '1 note' : `${formatCount(notes.length)} notes`}
          </button>
        </li>
      )}
    </ul>
  );
}

function Sessions({ sessions }: { readonly sessions: RunView['sessions'] }) {
  if (sessions.length === 0) return null;
  return (
    <li>
      <More label="Sessions" text={sessionsSaid(sessions)}>
        <ol className={styles.list}>
          {sessions.map((session) => {
            const { glyph, word } = sessionMark(session.ended);
            return (
              <li key={session.start} className={styles[session.ended]}>
                <span className={styles.glyph} title={word} aria-hidden="true">
                  {glyph}
                </span>
                <span>
                  {sessionWords(session)}
                  <span className={styles.when}>{sessionTimes(session)}</span>
                </span>
              </li>
            );
          })}
        </ol>
      </More>
    </li>
  );
}

/** Where it is kept, and copies of it. */
function Places({ view: { item, also } }: { readonly view: RunView }) {
  const own = { form: item.form, place: item.place, name: item.name, damage: item.damage };
  const text = also.length === 0 ? item.form : `${item.form}, and in ${formatCount(also.length)} more`;
  return (
    <li>
      <More label="Where it is kept" text={text}>
        <ul className={styles.list}>
          {[own, ...also].map(({ form, place, name, damage }) => (
            <li key={`${form} ${place} ${name}`}>
              <span>
                {form}
                <code className={styles.place}>
                  {place}/{name}
                </code>
                {damage !== undefined && <span className={styles.damage}>! {damage}</span>}
              </span>
            </li>
          ))}
        </ul>
      </More>
    </li>
  );
}

interface MoreProps {
  readonly label: string;
  readonly text: string;
  readonly children: ReactNode;
}

function More({ label, text, children }: MoreProps) {
  return (
    <Popover
      label={label}
      opener={(props) => (
        <button type="button" className={styles.more} {...props}>
          {text}
        </button>
      )}
    >
      {() => children}
    </Popover>
  );
}
