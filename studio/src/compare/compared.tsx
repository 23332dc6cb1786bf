import { type RefObject, useRef } from 'react';
import type { CompareView, RunItem } from '../../../src/server/api.ts';
import { Button } from '../ui/button.tsx';
import { CopyCommand } from '../ui/copy.tsx';
import { Empty } from '../ui/empty.tsx';
import { Choice } from '../ui/field.tsx';
import { focusList } from '../ui/focus-list.ts';
import { Problem } from '../ui/problem.tsx';
import { RunLetter } from '../ui/run-letter.tsx';
import { RUNS_MAX } from '../ui/run-letters.ts';
import { RunPicker } from '../ui/run-picker.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { ComparePlots } from './compare-plots.tsx';
import { CompareTable } from './compare-table.tsx';
import { CompareToolbar } from './compare-toolbar.tsx';
import styles from './compared.module.css';
import { FlipsPicture } from './flips-picture.tsx';
import { ForestPlot } from './forest-plot.tsx';
import { Legend } from './legend.tsx';
import { swapped, withRun } from './runs-order.ts';
import type { CompareAddress } from './use-compare.ts';
import { useCompareRows } from './use-compare-rows.ts';
import { Verdicts } from './verdicts.tsx';

interface ComparedProps {
  readonly view: CompareView;
  readonly address: CompareAddress;
}

/** Two to six runs: the verdict, what it rests on, and the samples. */
export function Compared({ view, address }: ComparedProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const items = inOrder([view.base, ...view.others.map(({ item }) => item)], address.ids);
  const other = otherShown(address);
  const list = useCompareRows(address, other);
  const filter = (q: string) => address.set({ q, view: 'table' });
  useCompareKeys(address, list);
  const shown = view.others[other - 1];
  return (
    <div ref={scroller} className={styles.scroller}>
      <div className={styles.top}>
        <div className={styles.runs}>
          <Legend items={items} ids={address.ids} onRuns={address.setRuns} />
          <span className={styles.tools}>
            {address.ids.length < RUNS_MAX && (
              <RunPicker
                label="Add a run"
                chosen={address.ids}
                like={view.base.facts?.eval}
                onChoose={(run) => address.setRuns(withRun(address.ids, run))}
              />
            )}
            <ScoreChoice view={view} address={address} />
          </span>
        </div>
        <Verdicts others={view.others} />
        {view.others.length > 1 && <ShownRun view={view} address={address} other={other} />}
        {shown !== undefined && shown.figures.length > 0 && (
          <div className={styles.evidence}>
            <FlipsPicture other={shown} index={other} q={address.q} onFilter={filter} />
            <ForestPlot other={shown} index={other} />
          </div>
        )}
      </div>
      <div className={styles.tabs}>
        <Tabs
          label="What is shown of the samples"
          tabs={[
            { id: 'table', label: 'Samples' },
            { id: 'plots', label: 'Plots' },
          ]}
          value={address.view}
          onChange={(next) => address.set({ view: next })}
        />
      </div>
      {address.view === 'plots' ? (
        <ComparePlots view={view} address={address} other={other} onFilter={filter} />
      ) : (
        <Samples view={view} address={address} other={other} list={list} scroller={scroller} />
      )}
      <footer className={styles.foot}>
        <CopyCommand command={view.command} label="Same figures" />
      </footer>
    </div>
  );
}

interface SamplesProps extends ComparedProps {
  readonly other: number;
  readonly list: ReturnType<typeof useCompareRows>;
  readonly scroller: RefObject<HTMLElement | null>;
}

function Samples({ view, address, other, list, scroller }: SamplesProps) {
  const { head, total } = list.pages;
  return (
    <>
      <CompareToolbar
        q={address.q}
        onFilter={(q) => address.set({ q })}
        wrong={head.data?.wrong}
        total={head.data?.total}
        all={head.data?.all}
      />
      {head.isError && head.data === undefined ? (
        <Problem error={head.error} what="These samples" onRetry={() => void head.refetch()} />
      ) : head.data === undefined ? (
        <SkeletonRows rows={12}>Reading the samples of {address.ids.length} runs …</SkeletonRows>
      ) : total === 0 ? (
        <NoSamples q={address.q} all={head.data.all} onClear={() => address.set({ q: '' })} />
      ) : (
        <CompareTable view={view} address={address} other={other} list={list} scroller={scroller} />
      )}
    </>
  );
}

function NoSamples(props: { readonly q: string; readonly all: number; readonly onClear: () => void }) {
  if (props.q === '')
    return (
      <Empty title="These runs have no samples">
        <p>They may have been stopped before the first of them, or their samples cannot be read.</p>
      </Empty>
    );
  return (
    <Empty title="No sample matches">
      <p>
        <code>{props.q}</code> leaves none of {props.all} samples.
      </p>
      <Button onClick={props.onClear}>Clear the filter</Button>
    </Empty>
  );
}

/** Of more than two runs, the one that is held against the base. */
function ShownRun({ view, address, other }: ComparedProps & { readonly other: number }) {
  return (
    <div className={styles.against} role="group" aria-label="Held against the base">
      <span className={styles.label}>
        <RunLetter index={0} /> against
      </span>
      {view.others.map(({ item }, at) => (
        <Button
          key={item.run}
          kind="quiet"
          isOn={at + 1 === other}
          onClick={() => address.set({ with: item.run })}
        >
          <RunLetter index={at + 1} /> {item.facts?.target.replace(/^.*\//, '') ?? item.name}
        </Button>
      ))}
    </div>
  );
}

function ScoreChoice({ view, address }: ComparedProps) {
  if (view.scores.length < 2) return null;
  return (
    <Choice
      label="Score"
      value={view.score ?? ''}
      options={view.scores.map((name) => ({ value: name, label: name }))}
      onChange={(score) => address.set({ score })}
    />
  );
}

/** As the address has them, also while the answer is still that to their order before. */
function inOrder(items: readonly RunItem[], ids: readonly string[]): readonly RunItem[] {
  const ordered = ids.flatMap((id) => items.find(({ run }) => run === id) ?? []);
  // An address may name a run by the beginning of its id.
  return ordered.length === items.length ? ordered : items;
}

function otherShown({ ids, with: wanted }: CompareAddress): number {
  return Math.max(1, ids.indexOf(wanted));
}

function useCompareKeys(address: CompareAddress, list: ReturnType<typeof useCompareRows>): void {
  const { rows, open, goToFlip } = list;
  const hasCursor = rows.cursor >= 0;
  const goTo = (index: number) => {
    focusList();
    rows.goTo(index);
  };
  useKeys('Compare', [
    { keys: ']', what: 'Next flip', run: () => goToFlip(1) },
    { keys: '[', what: 'Previous flip', run: () => goToFlip(-1) },
    { keys: ['j', 'ArrowDown'], what: 'Next sample', run: () => goTo(rows.cursor + 1) },
    { keys: ['k', 'ArrowUp'], what: 'Previous sample', run: () => goTo(rows.cursor - 1) },
    {
      keys: 'Enter',
      what: 'Both transcripts beside each other',
      run: () => open(rows.cursor),
      isOff: !hasCursor,
    },
    { keys: 'd', what: 'Diff of the outputs', run: () => open(rows.cursor, 'diff'), isOff: !hasCursor },
    { keys: 's', what: 'Swap A and B', run: () => address.setRuns(swapped(address.ids)) },
  ]);
}
