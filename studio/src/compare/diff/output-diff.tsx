import { useMemo, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { Problem } from '../../ui/problem.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import type { Side } from '../sample/turn-cell.tsx';
import { DiffRows } from './diff-rows.tsx';
import { linesOf, type TextDiff } from './diff-texts.ts';
import { countDiff } from './diff-view.ts';
import styles from './output-diff.module.css';
import { useDiff } from './use-diff.ts';
import { useWholeText } from './use-whole-text.ts';

/** More than this is fetched only when it is asked for. */
const AT_ONCE = 8 * 2 ** 20;

interface OutputDiffProps {
  readonly sides: readonly [Side, Side];
  readonly sample: string;
}

/** What the two runs answered, line by line, not cut. */
export function OutputDiff({ sides, sample }: OutputDiffProps) {
  const [a, b] = sides;
  const length = lengthOf(a) + lengthOf(b);
  const [isWanted, setIsWanted] = useState(length <= AT_ONCE);
  const ownerOf = ({ item, epoch }: Side) => ({ run: item.run, sample, epoch: String(epoch) });
  const textA = useWholeText(a.output, ownerOf(a), isWanted);
  const textB = useWholeText(b.output, ownerOf(b), isWanted);
  const state = useDiff(textA.text, textB.text);
  if (!isWanted)
    return (
      <Empty title="The outputs are long">
        <p>{formatBytes(length)} have to be fetched to compare them to their ends.</p>
        <Button onClick={() => setIsWanted(true)}>Fetch and compare</Button>
      </Empty>
    );
  const error = textA.error ?? textB.error;
  if (error !== undefined) return <Problem error={error} what="The diff of the outputs" />;
  if (state.is === 'failed') return <Problem error={state.error} what="The diff of the outputs" />;
  if (textA.text === undefined || textB.text === undefined || state.is === 'working')
    return (
      <SkeletonRows rows={6}>
        {`${formatBytes(textA.had + textB.had)} of ${formatBytes(length)} are here; comparing …`}
      </SkeletonRows>
    );
  return <Diff a={textA.text} b={textB.text} diff={state.diff} />;
}

function Diff({ a, b, diff }: { readonly a: string; readonly b: string; readonly diff: TextDiff }) {
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => ({ a: linesOf(a), b: linesOf(b) }), [a, b]);
  const { added, removed, changed } = countDiff(diff.rows);
  if (a === '' && b === '') return <p className={styles.note}>Neither run has an output.</p>;
  if (added + removed + changed === 0)
    return (
      <p className={styles.note}>
        The outputs are the same: {formatCount(lines.a.length)} lines, {formatCount(a.length)} characters.
      </p>
    );
  return (
    <>
      <p className={styles.note}>
        {changed === 1 ? '1 line' : `${formatCount(changed)} lines`} changed, {formatCount(removed)} only in
        A, {formatCount(added)} only in B
        {!diff.isExact && '. They differ so much that lines are paired in their order, not by what they say.'}
      </p>
      <div
        ref={scroller}
        className={styles.scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        role="region"
        aria-label="Diff of the outputs"
      >
        <DiffRows rows={diff.rows} lines={lines} scroller={scroller} />
      </div>
    </>
  );
}

function lengthOf({ output }: Side): number {
  return typeof output === 'string' ? output.length : output.$cut.length;
}
