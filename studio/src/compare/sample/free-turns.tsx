import { useRef } from 'react';
import type { AlignedTranscripts } from '../../../../src/server/api.ts';
import { PageRows } from '../../ui/page-rows.tsx';
import { letterOf } from '../../ui/run-letters.ts';
import { numbered } from './fold-turns.ts';
import styles from './free-turns.module.css';
import { TurnCell } from './turn-cell.tsx';

/** Both transcripts, each with a scroll of its own. */
export function FreeTurns({ view }: { readonly view: AlignedTranscripts }) {
  return (
    <div className={styles.sides}>
      <FreeSide view={view} index={0} />
      <FreeSide view={view} index={1} />
    </div>
  );
}

function FreeSide({ view, index }: { readonly view: AlignedTranscripts; readonly index: 0 | 1 }) {
  const scroller = useRef<HTMLDivElement>(null);
  const side = view.sides[index];
  const rows = numbered(view.rows).filter(({ a, b }) => (index === 0 ? a : b) !== undefined);
  return (
    <div
      ref={scroller}
      className={styles.side}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      role="region"
      aria-label={`Transcript of ${letterOf(index)}`}
    >
      <PageRows
        count={rows.length}
        rowHeight={160}
        isMeasured
        role="presentation"
        overscan={4}
        scroller={scroller}
        keyOf={(at) => rows[at]?.index ?? at}
      >
        {(at, measure) => {
          const row = rows[at];
          const turn = index === 0 ? row?.a : row?.b;
          return (
            <div ref={measure} data-index={at} className={styles.turn}>
              {row !== undefined && turn !== undefined && side !== undefined && (
                <TurnCell
                  turn={turn}
                  beside={index === 0 ? row.b : row.a}
                  number={index === 0 ? row.aNumber : row.bNumber}
                  side={side}
                  index={index}
                  sample={String(view.sample)}
                  isSame={row.is === 'same'}
                />
              )}
            </div>
          );
        }}
      </PageRows>
    </div>
  );
}
