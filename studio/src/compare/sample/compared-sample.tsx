import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { AlignedTranscripts } from '../../../../src/server/api.ts';
import { useWhileHere } from '../../app/use-while-here.ts';
import { Empty } from '../../ui/empty.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useKeys } from '../../ui/use-keys.ts';
import type { VirtualRowsHandle } from '../../ui/virtual-rows.tsx';
import { OutputDiff } from '../diff/output-diff.tsx';
import { parseRuns, printRuns, swapped } from '../runs-order.ts';
import { AlignedTurns } from './aligned-turns.tsx';
import styles from './compared-sample.module.css';
import { changedBlocks, foldTurns } from './fold-turns.ts';
import { FreeTurns } from './free-turns.tsx';
import { SampleHead } from './sample-head.tsx';

const route = getRouteApi('/compare/s/$sample');

/** Two transcripts aligned by turn, and what came out below them. */
export function ComparedSampleView({ view }: { readonly view: AlignedTranscripts }) {
  const { view: shown, set } = useAddress();
  const [isLocked, setIsLocked] = useState(true);
  const turns = useTurns(view);
  useSampleKeys({ turns, isLocked, onLock: setIsLocked });
  const [a, b] = view.sides;
  if (a === undefined || b === undefined) return <Empty title="There is nothing to compare" />;
  return (
    <div className={styles.page}>
      <SampleHead
        view={view}
        isLocked={isLocked}
        onLock={setIsLocked}
        differences={turns.changed.length}
        onGo={turns.go}
        onEpoch={(epoch) => set({ epoch: String(epoch) })}
      />
      <div className={styles.tabs}>
        <Tabs
          label="What has the room"
          tabs={[
            { id: 'turns', label: 'Transcripts' },
            { id: 'diff', label: 'Diff of the outputs' },
          ]}
          value={shown}
          onChange={(next) => set({ view: next })}
        />
      </div>
      {shown === 'turns' && <Transcripts view={view} turns={turns} isLocked={isLocked} />}
      <section className={styles.diff} aria-label="Outputs" data-large={shown === 'diff'}>
        <h2 className={styles.title}>Outputs</h2>
        <OutputDiff sides={[a, b]} sample={String(view.sample)} />
      </section>
    </div>
  );
}

interface TranscriptsProps {
  readonly view: AlignedTranscripts;
  readonly turns: ReturnType<typeof useTurns>;
  readonly isLocked: boolean;
}

function Transcripts({ view, turns, isLocked }: TranscriptsProps) {
  return (
    <>
      <section className={styles.turns} aria-label="Transcripts">
        {view.rows.length === 0 ? (
          <Empty title="Neither transcript has a turn" />
        ) : isLocked ? (
          <AlignedTurns
            view={view}
            blocks={turns.blocks}
            onFold={turns.toggle}
            current={turns.current}
            handle={turns.handle}
          />
        ) : (
          <FreeTurns view={view} />
        )}
      </section>
      {!view.isAll && (
        <p className={styles.cut}>
          The transcripts are too long to be aligned to their ends: what comes later is only in the full
          transcripts.
        </p>
      )}
    </>
  );
}

function useAddress() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const whileHere = useWhileHere();
  const set = (next: Partial<typeof search>) =>
    whileHere(() => void navigate({ search: (was) => ({ ...was, ...next }), replace: true }));
  return { ...search, set };
}

interface SampleKeys {
  readonly turns: ReturnType<typeof useTurns>;
  readonly isLocked: boolean;
  readonly onLock: (isLocked: boolean) => void;
}

function useSampleKeys({ turns, isLocked, onLock }: SampleKeys): void {
  const { runs, view, set } = useAddress();
  const router = useRouter();
  useKeys('Compare', [
    { keys: ']', what: 'Next difference', run: () => turns.go(1), isOff: !isLocked },
    { keys: '[', what: 'Previous difference', run: () => turns.go(-1), isOff: !isLocked },
    {
      keys: 'x',
      what: isLocked ? 'Scroll each side by itself' : 'Scroll both together',
      run: () => onLock(!isLocked),
    },
    { keys: 'd', what: 'Diff of the outputs', run: () => set({ view: view === 'diff' ? 'turns' : 'diff' }) },
    { keys: 's', what: 'Swap A and B', run: () => set({ runs: printRuns(swapped(parseRuns(runs))) }) },
    { keys: 'u', what: 'Back to the comparison', run: () => router.history.back() },
  ]);
}

/** Which turns are shown, and the difference that one is at: the first, in the middle of the page, to begin with. */
function useTurns(view: AlignedTranscripts) {
  const handle = useRef<VirtualRowsHandle>(null);
  const [turned, setTurned] = useState<ReadonlySet<number>>(new Set());
  const blocks = useMemo(
    () => foldTurns(view.rows, view.firstDivergence, turned),
    [view.rows, view.firstDivergence, turned],
  );
  const changed = useMemo(() => changedBlocks(blocks), [blocks]);
  const [at, setAt] = useState(0);
  const toggle = (row: number) => {
    const next = new Set(turned);
    if (!next.delete(row)) next.add(row);
    setTurned(next);
  };
  const go = (step: 1 | -1) => {
    const next = Math.max(0, Math.min(changed.length - 1, at + step));
    setAt(next);
    handle.current?.show(changed[next] ?? 0, 'start');
  };
  const first = changed[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each pair of transcripts
  useEffect(() => {
    setAt(0);
    if (first === undefined || first === 0) return;
    const frame = requestAnimationFrame(() => handle.current?.show(first, 'start'));
    return () => cancelAnimationFrame(frame);
  }, [view]);
  return { handle, blocks, changed, current: changed[at] ?? -1, toggle, go };
}
