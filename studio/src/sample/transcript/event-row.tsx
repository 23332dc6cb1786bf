import { memo } from 'react';
import { EVENT_FLAGS } from '../../../../src/server/api.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { EventBody } from '../events/event-body.tsx';
import styles from './event-row.module.css';
import { RowHead } from './event-row-head.tsx';
import { lookOf } from './kind-looks.ts';
import { useTranscriptHere } from './transcript-here.ts';

interface EventRowProps {
  readonly event: number;
  readonly isOpen: boolean;
  readonly isFocused: boolean;
  /** Where it is among those that are shown, from 1; how many those are. */
  readonly position: number;
  readonly count: number;
  /** Another when what is known of the event may be another. */
  readonly version: number;
}

/** One event: a line, and what is in it when it is unfolded. */
export const EventRow = memo(function EventRow(props: EventRowProps) {
  const { event, isOpen, isFocused, position, count } = props;
  const { store, focus, copyLink } = useTranscriptHere();
  const kind = store.kind(event);
  const { role, word } = lookOf(kind);
  const isFailure = store.hasFlag(event, EVENT_FLAGS.error);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys move the focus by themselves
    <article
      className={classes(
        styles.row,
        styles[role],
        isOpen && styles.isOpen,
        isFocused && styles.isFocused,
        isFailure && styles.isFailure,
        kind === 'span_begin' && styles.isSpan,
      )}
      style={{ '--depth': Math.min(store.depth(event), 8) }}
      aria-label={`Event ${event + 1}: ${word}`}
      aria-posinset={position}
      aria-setsize={count}
      aria-current={isFocused ? 'true' : undefined}
      data-event={event}
      onClick={() => focus(event)}
    >
      {store.hasFlag(event, EVENT_FLAGS.gapBefore) && (
        <p className={styles.gap}>
          <span>Events before number {event + 1} are missing</span>
        </p>
      )}
      <RowHead event={event} isOpen={isOpen} />
      {isFocused && (
        <IconButton
          icon="link"
          label={`Copy the link to event ${event + 1}`}
          className={styles.link}
          onClick={() => copyLink(event)}
        />
      )}
      {isOpen && (
        <div className={styles.body}>
          <EventBody event={event} kind={kind} />
        </div>
      )}
    </article>
  );
});
