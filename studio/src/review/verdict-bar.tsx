import { useRef, useState } from 'react';
import type { ReviewItem } from '../../../src/server/api.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Ago } from '../ui/figures.tsx';
import { Problem } from '../ui/problem.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { choicesFor, lastWords, type VerdictChoice, verdictWord } from './queue.ts';
import type { Review } from './use-review.ts';
import styles from './verdict-bar.module.css';

interface VerdictBarProps {
  readonly item: ReviewItem;
  readonly review: Review;
  /** Why nothing can be said here; undefined when it can. */
  readonly whyNot: string | undefined;
}

/** The verdict on the sample that is shown: one key, and the next one comes. */
export function VerdictBar({ item, review, whyNot }: VerdictBarProps) {
  const [note, setNote] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const choices = choicesFor(item.outcome);
  const isOff = whyNot !== undefined || review.isSaying;
  const judge = ({ verdict }: VerdictChoice) => void review.judge(verdict, note);
  useKeys('Review', [
    ...choices.map((choice) => ({
      keys: choice.hotkey,
      what: choice.label,
      run: () => judge(choice),
      isOff,
    })),
    {
      keys: 'm',
      what: 'Write a note with the verdict',
      run: () => box.current?.querySelector('input')?.focus(),
      isOff,
    },
  ]);
  return (
    <section ref={box} className={styles.bar} aria-label="Verdict">
      {review.error !== undefined && <Problem error={review.error} what="The verdict" />}
      {whyNot !== undefined && (
        <p className={styles.why} role="status">
          <strong>Verdicts cannot be written here.</strong> {whyNot}
        </p>
      )}
      <Earlier item={item} />
      <div className={styles.line}>
        {choices.map((choice) => (
          <Button key={choice.hotkey} hotkey={choice.hotkey} disabled={isOff} onClick={() => judge(choice)}>
            {choice.label}
          </Button>
        ))}
        <div className={styles.note}>
          <Field
            label="Note"
            isLabelHidden
            placeholder="Why (M, optional)"
            value={note}
            disabled={whyNot !== undefined}
            onChange={(event) => setNote(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' || event.key === 'Escape') event.currentTarget.blur();
            }}
          />
        </div>
        <Button kind="quiet" hotkey="u" onClick={review.back}>
          Back
        </Button>
        <Button
          kind="quiet"
          hotkey="z"
          disabled={!review.canUndo || review.isSaying}
          onClick={() => void review.undo()}
        >
          Undo
        </Button>
      </div>
    </section>
  );
}

/** What people said of it before. */
function Earlier({ item }: { readonly item: ReviewItem }) {
  const words = lastWords(item.verdicts);
  if (words.length === 0) return null;
  return (
    <p className={styles.earlier}>
      {words.map(({ id, by, verdict, text, time }) => (
        <span key={id}>
          <strong>{by}</strong> said {verdictWord(verdict)} <Ago time={time} />
          {text !== undefined && `: ${text}`}
        </span>
      ))}
    </p>
  );
}
