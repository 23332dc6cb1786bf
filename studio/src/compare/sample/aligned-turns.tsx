import { type Ref, type RefObject, useRef } from 'react';
import type { AlignedTranscripts } from '../../../../src/server/api.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { PageRows } from '../../ui/page-rows.tsx';
import type { VirtualRowsHandle } from '../../ui/virtual-rows.tsx';
import styles from './aligned-turns.module.css';
import { type Block, foldWords, type NumberedRow } from './fold-turns.ts';
import { TurnCell } from './turn-cell.tsx';

interface AlignedTurnsProps {
  readonly view: AlignedTranscripts;
  readonly blocks: readonly Block[];
  readonly onFold: (firstRow: number) => void;
  readonly current: number;
  readonly handle: Ref<VirtualRowsHandle>;
}

/** Both transcripts in one scroll: what stands beside each other belongs together. */
export function AlignedTurns({ view, blocks, onFold, current, handle }: AlignedTurnsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <div ref={scroller} className={styles.scroller} tabIndex={0} role="region" aria-label="Both transcripts">
      <BlockRows
        scroller={scroller}
        blocks={blocks}
        handle={handle}
        render={(block, index) =>
          block.kind === 'fold' ? (
            <FoldLine block={block} onFold={onFold} />
          ) : (
            <TurnsRow view={view} block={block} isCurrent={index === current} />
          )
        }
      />
    </div>
  );
}

/** What is gone to comes so far below the top: what comes before it is seen, too. */
const ABOVE = 96;

interface BlockRowsProps {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly blocks: readonly Block[];
  readonly handle: Ref<VirtualRowsHandle>;
  readonly render: (block: Block, index: number) => React.ReactNode;
}

function BlockRows({ scroller, blocks, handle, render }: BlockRowsProps) {
  return (
    <PageRows
      count={blocks.length}
      rowHeight={180}
      isMeasured
      role="presentation"
      overscan={4}
      scroller={scroller}
      stickyHeight={ABOVE}
      ref={handle}
      keyOf={(index) => keyOf(blocks[index])}
    >
      {(index, measure) => {
        const block = blocks[index];
        return (
          <div ref={measure} data-index={index}>
            {block !== undefined && render(block, index)}
          </div>
        );
      }}
    </PageRows>
  );
}

function keyOf(block: Block | undefined): string {
  if (block === undefined) return '';
  return block.kind === 'fold' ? `fold ${block.rows[0]?.index}` : `row ${block.row.index}`;
}

interface FoldLineProps {
  readonly block: Extract<Block, { kind: 'fold' }>;
  readonly onFold: (firstRow: number) => void;
}

function FoldLine({ block, onFold }: FoldLineProps) {
  return (
    <p className={styles.fold}>
      <span aria-hidden="true">=</span> {foldWords(block.rows)}
      <Button kind="quiet" aria-expanded={block.isOpen} onClick={() => onFold(block.rows[0]?.index ?? 0)}>
        {block.isOpen ? 'Fold' : 'Show'}
      </Button>
    </p>
  );
}

interface TurnsRowProps {
  readonly view: AlignedTranscripts;
  readonly block: Extract<Block, { kind: 'row' }>;
  readonly isCurrent: boolean;
}

function TurnsRow({ view, block, isCurrent }: TurnsRowProps) {
  const { row, isFirstDivergence } = block;
  return (
    <section
      className={classes(styles.row, isFirstDivergence && styles.isFirst, isCurrent && styles.isCurrent)}
      aria-label={rowWords(row)}
    >
      {isFirstDivergence && (
        <p className={styles.banner}>First divergence: here they differ for the first time</p>
      )}
      <Cell view={view} row={row} index={0} />
      <Cell view={view} row={row} index={1} />
    </section>
  );
}

function Cell(props: {
  readonly view: AlignedTranscripts;
  readonly row: NumberedRow;
  readonly index: 0 | 1;
}) {
  const { view, row, index } = props;
  const side = view.sides[index];
  const [turn, beside] = index === 0 ? [row.a, row.b] : [row.b, row.a];
  if (turn === undefined || side === undefined)
    return <p className={styles.none}>{index === 0 ? 'A' : 'B'} has no such turn</p>;
  return (
    <TurnCell
      turn={turn}
      beside={beside}
      number={index === 0 ? row.aNumber : row.bNumber}
      side={side}
      index={index}
      sample={String(view.sample)}
      isSame={row.is === 'same'}
    />
  );
}

function rowWords({ is, aNumber, bNumber }: NumberedRow): string {
  if (is === 'only a') return `Turn ${aNumber} of A, which B has not got`;
  if (is === 'only b') return `Turn ${bNumber} of B, which A has not got`;
  return `Turn ${aNumber} of A and turn ${bNumber} of B`;
}
