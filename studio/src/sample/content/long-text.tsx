import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useData } from '../../data/data-context.tsx';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.tsx';
import { formatBytes } from '../../ui/format.ts';
import { Problem } from '../../ui/problem.tsx';
import { ScaledList } from '../../ui/scaled/scaled-list.tsx';
import type { Cut } from '../read-json.ts';
import { useSampleHere } from '../sample-here.ts';
import styles from './long-text.module.css';
import { TextPieces } from './text-pieces.ts';
import { rowCount } from './text-rows.ts';
import { readWhole } from './use-whole-text.ts';

const COPY_MAX = 20_000_000;
/** Of a row of 4,096 characters in lines of some hundred. */
const ROW_HEIGHT = 740;

/** A text of up to hundreds of megabytes: only what is seen is loaded and laid out. */
export function LongText({ cut, onClose }: { readonly cut: Cut; readonly onClose?: () => void }) {
  const data = useData();
  const here = useSampleHere();
  const { run, sample, epoch } = here;
  const pieces = useMemo(
    () =>
      new TextPieces(cut.length, (from, length, signal) =>
        data.ask('text', { params: { run, sample, epoch }, query: { at: cut.at, from, length } }, signal),
      ),
    [data, run, sample, epoch, cut.at, cut.length],
  );
  useEffect(() => () => pieces.stop(), [pieces]);
  const error = useSyncExternalStore(pieces.subscribe, () => pieces.error);
  const length = useSyncExternalStore(pieces.subscribe, () => pieces.length);
  const rows = rowCount(length);
  return (
    <div className={styles.box} style={{ '--rows': Math.min(rows, 4) }}>
      <p className={styles.head}>
        <span>{formatBytes(length)}</span>
        {length <= COPY_MAX && <CopyAll cut={{ ...cut, length }} />}
        {onClose !== undefined && (
          <Button kind="quiet" onClick={onClose}>
            Show less
          </Button>
        )}
      </p>
      {error !== undefined && <Problem error={error} onRetry={() => pieces.retry()} what="This text" />}
      <ScaledList
        label="The whole text"
        role="group"
        count={rows}
        version={pieces}
        estimate={() => ROW_HEIGHT}
        onView={(first, last) => pieces.want(first - 2, last + 2)}
      >
        {(row) => <TextRow pieces={pieces} row={row} />}
      </ScaledList>
    </div>
  );
}

function TextRow({ pieces, row }: { readonly pieces: TextPieces; readonly row: number }) {
  const text = useSyncExternalStore(pieces.subscribe, () => pieces.rowText(row));
  if (text === undefined) return <div className={styles.waiting} style={{ height: ROW_HEIGHT }} />;
  return <pre className={styles.row}>{text}</pre>;
}

function CopyAll({ cut }: { readonly cut: Cut }) {
  const data = useData();
  const here = useSampleHere();
  const [said, setSaid] = useState('Copy');
  const copy = async () => {
    setSaid('Copying …');
    try {
      await copyText(await readWhole(data, here, cut, new AbortController().signal));
      setSaid('Copied');
    } catch {
      // Why it failed is said where the text itself is loaded.
      setSaid('It could not be copied');
    }
  };
  return (
    <Button kind="quiet" icon="copy" onClick={() => void copy()}>
      {said}
    </Button>
  );
}
