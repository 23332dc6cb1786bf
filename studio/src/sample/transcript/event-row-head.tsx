import { EVENT_FLAGS } from '../../../../src/server/api.ts';
import { formatDuration, formatShortCount, formatUsd } from '../../ui/format.ts';
import { Badge } from '../../ui/outcome.tsx';
import styles from './event-row.module.css';
import { lookOf } from './kind-looks.ts';
import { isTurnStart } from './landmarks.ts';
import { useTranscriptHere } from './transcript-here.ts';

interface RowHeadProps {
  readonly event: number;
  readonly isOpen: boolean;
}

/** The line that every event has: who, what in short, and what it took. */
export function RowHead({ event, isOpen }: RowHeadProps) {
  const { store, toggle } = useTranscriptHere();
  const kind = store.kind(event);
  const isFailure = store.hasFlag(event, EVENT_FLAGS.error);
  const label = kind === 'tool' ? store.label(event).replace(/^\S+\s*/, '') : store.label(event);
  return (
    <button type="button" className={styles.head} aria-expanded={isOpen} onClick={() => toggle(event)}>
      <span className={styles.turn}>
        {isTurnStart(store, event) && (
          <>
            <span className="visually-hidden">turn </span>
            {store.turn(event)}
          </>
        )}
      </span>
      <span className={styles.chevron} />
      <Word event={event} />
      {isFailure && (
        <span className={styles.failure}>
          <span aria-hidden="true">!</span> {kind === 'error' ? '' : 'error'}
        </span>
      )}
      <span className={styles.label}>{isOpen ? openLabel(kind, label) : label}</span>
      <Seams event={event} />
      <Figures event={event} />
    </button>
  );
}

/** What is in the body is not said twice. */
function openLabel(kind: string, label: string): string {
  return kind === 'span_begin' || kind === 'logger' ? label : '';
}

/** Who, or what: agents beside the main one and tools are called by their names. */
function Word({ event }: { readonly event: number }) {
  const { store } = useTranscriptHere();
  const kind = store.kind(event);
  if (kind === 'tool')
    return (
      <code className={styles.word}>
        <span className="visually-hidden">tool </span>
        {store.label(event).split(' ', 1)[0] ?? 'tool'}
      </code>
    );
  const isOther = store.laneIndex(event) > 0 && kind === 'model';
  return <span className={styles.word}>{isOther ? store.lane(event) : lookOf(kind).word}</span>;
}

/** How an answer came to be, where it was not simply bought. */
const SEAMS = EVENT_FLAGS.replayed | EVENT_FLAGS.recovered | EVENT_FLAGS.retried | EVENT_FLAGS.pending;

function Seams({ event }: { readonly event: number }) {
  const { store } = useTranscriptHere();
  if (!store.hasFlag(event, SEAMS)) return null;
  return (
    <span className={styles.seams}>
      {store.hasFlag(event, EVENT_FLAGS.replayed) && (
        <Badge
          tone="quiet"
          glyph="↻"
          title="The answer was not bought now: it was replayed from an earlier one"
        >
          replayed
        </Badge>
      )}
      {store.hasFlag(event, EVENT_FLAGS.recovered) && (
        <Badge tone="quiet" glyph="⚑" title="Brought back from a run that crashed">
          recovered
        </Badge>
      )}
      {store.hasFlag(event, EVENT_FLAGS.retried) && (
        <Badge tone="limit" glyph="⟳" title="It was tried again">
          retried
        </Badge>
      )}
      {store.hasFlag(event, EVENT_FLAGS.pending) && (
        <Badge tone="quiet" glyph="…">
          under way
        </Badge>
      )}
    </span>
  );
}

function Figures({ event }: { readonly event: number }) {
  const { store } = useTranscriptHere();
  const tokens = store.tokens(event);
  const usd = store.usd(event);
  const durationMs = store.durationMs(event);
  return (
    <>
      <span className={styles.tokens}>{tokens > 0 && `${formatShortCount(tokens)} tok`}</span>
      <span className={styles.figure}>{usd > 0 && formatUsd(usd)}</span>
      <span className={styles.figure}>{durationMs > 0 && formatDuration(durationMs)}</span>
    </>
  );
}
