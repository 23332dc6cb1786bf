import { type RefObject, useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { formatCount } from '../../ui/format.ts';
import { PageRows } from '../../ui/page-rows.tsx';
import styles from './diff-rows.module.css';
import type { DiffRow, WordPart } from './diff-texts.ts';
import { PIECE, type ShownRow, shownRows, slicedParts } from './diff-view.ts';

interface DiffRowsProps {
  readonly rows: readonly DiffRow[];
  readonly lines: { readonly a: readonly string[]; readonly b: readonly string[] };
  readonly scroller: RefObject<HTMLElement | null>;
}

/** Only the rows that are seen are laid out, however long the texts are. */
export function DiffRows({ rows, lines, scroller }: DiffRowsProps) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const shown = useMemo(() => shownRows(rows, opened), [rows, opened]);
  return (
    <div className={styles.rows}>
      <PageRows
        count={shown.length}
        rowHeight={20}
        isMeasured
        role="presentation"
        overscan={12}
        scroller={scroller}
      >
        {(index, measure) => {
          const row = shown[index];
          if (row === undefined) return null;
          return (
            <div ref={measure} data-index={index}>
              {row.is === 'fold' ? (
                <p className={styles.fold}>
                  <span aria-hidden="true">⋯</span> {formatCount(row.count)} equal lines
                  <Button kind="quiet" onClick={() => setOpened(new Set([...opened, row.a]))}>
                    Show
                  </Button>
                </p>
              ) : (
                <Line row={row} lines={lines} />
              )}
            </div>
          );
        }}
      </PageRows>
    </div>
  );
}

type LineRow = Exclude<ShownRow, { is: 'fold' }>;

function Line({ row, lines }: { readonly row: LineRow; readonly lines: DiffRowsProps['lines'] }) {
  const isOther = row.is !== 'same';
  return (
    <div className={styles.line}>
      <Half
        number={row.a}
        text={row.a === undefined ? undefined : (lines.a[row.a] ?? '')}
        parts={row.words?.a}
        mark={isOther ? '−' : ''}
      />
      <Half
        number={row.b}
        text={row.b === undefined ? undefined : (lines.b[row.b] ?? '')}
        parts={row.words?.b}
        mark={isOther ? '+' : ''}
      />
    </div>
  );
}

interface HalfProps {
  readonly number: number | undefined;
  /** Undefined where this side has no such line. */
  readonly text: string | undefined;
  readonly parts: readonly WordPart[] | undefined;
  readonly mark: '+' | '−' | '';
}

function Half({ number, text, parts, mark }: HalfProps) {
  const [length, setLength] = useState(PIECE);
  if (text === undefined || number === undefined)
    return (
      <>
        <span className={styles.number} />
        <span className={styles.absent} />
      </>
    );
  const look = mark === '+' ? styles.added : mark === '−' ? styles.removed : undefined;
  return (
    <>
      <span className={classes(styles.number, look)}>
        {number + 1} {mark}
        {mark !== '' && <span className="visually-hidden">{mark === '+' ? 'only in B' : 'only in A'}</span>}
      </span>
      <span className={classes(styles.text, look)}>
        {slicedParts(parts ?? [[text, false]], 0, length).map(([piece, isChanged], at) =>
          isChanged ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line
            <mark key={at} className={styles.word}>
              {piece}
            </mark>
          ) : (
            piece
          ),
        )}
        {text.length > length && (
          <Button kind="quiet" className={styles.more} onClick={() => setLength(length + 20 * PIECE)}>
            {formatCount(text.length - length)} more characters of this line
          </Button>
        )}
      </span>
    </>
  );
}
