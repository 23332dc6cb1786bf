import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { AlignedTranscripts, Text } from '../../../../src/server/api.ts';
import { Prose } from '../../sample/content/prose.tsx';
import { Here } from '../../sample/sample-here.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { RunLetter } from '../../ui/run-letter.tsx';
import { type Deed, deedsOf, onlyHere } from './deeds.ts';
import styles from './turn-cell.module.css';

export type Turn = NonNullable<AlignedTranscripts['rows'][number]['a']>;
export type Side = AlignedTranscripts['sides'][number];

interface TurnCellProps {
  readonly turn: Turn;
  readonly number: number | undefined;
  readonly side: Side;
  readonly index: 0 | 1;
  readonly sample: string;
  /** The turn that stands beside it, where there is one. */
  readonly beside?: Turn | undefined;
  /** Where all of it is the same, nothing is marked. */
  readonly isSame?: boolean;
}

/** Longer deeds are folded until they are asked for. */
const LINES_MAX = 14;

/** One turn of one side: what was said and done. What the other side has not got is marked. */
export function TurnCell({ turn, number, side, index, sample, beside, isSame = false }: TurnCellProps) {
  const deeds = deedsOf(headOf(turn.text));
  const { run } = side.item;
  const { epoch } = side;
  const here = useMemo(
    () => ({ run, sample, epoch, attempt: undefined, isRaw: false }),
    [run, sample, epoch],
  );
  const marks = onlyHere(deeds, beside === undefined ? [] : deedsOf(headOf(beside.text)));
  return (
    <div className={styles.turn}>
      <div className={styles.head}>
        <RunLetter index={index} />
        <span>turn {number}</span>
        <Link
          to="/runs/$run/s/$sample/$epoch"
          params={{ run: side.item.run, sample, epoch: String(side.epoch) }}
          search={{ event: String(turn.from) }}
          className={styles.link}
        >
          event {turn.from} in the transcript ›
        </Link>
      </div>
      <Here value={here}>
        {deeds.map((deed, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: deeds of a turn have no other order
          <DeedText key={at} deed={deed} isMarked={!isSame && marks[at] === true} />
        ))}
      </Here>
      {deeds.length === 0 && <p className={styles.none}>nothing was said or done</p>}
    </div>
  );
}

const WORDS: Readonly<Record<Deed['kind'], string>> = {
  say: 'said',
  call: 'called',
  result: 'result',
  error: 'error',
};

function DeedText({ deed, isMarked }: { readonly deed: Deed; readonly isMarked: boolean }) {
  const [isWhole, setIsWhole] = useState(false);
  const lines = deed.text.split('\n');
  const more = lines.length - LINES_MAX;
  const text = isWhole || more <= 3 ? deed.text : lines.slice(0, LINES_MAX).join('\n');
  return (
    <div className={classes(styles.deed, styles[deed.kind], isMarked && styles.isMarked)}>
      {deed.kind !== 'say' && <span className={styles.kind}>{WORDS[deed.kind]}</span>}
      {deed.kind === 'say' ? <Prose text={text} /> : <span className={styles.text}>{text}</span>}
      {more > 3 && (
        <Button kind="quiet" className={styles.more} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Fold' : `${more} more lines`}
        </Button>
      )}
    </div>
  );
}

function headOf(text: Text): string {
  return typeof text === 'string' ? text : `${text.$cut.head}…`;
}
