import { type RefObject, useRef } from 'react';
import type { RunView } from '../../../../src/server/api.ts';
import { useCopy } from '../../ui/copy.tsx';
import { Problem } from '../../ui/problem.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { useKeys } from '../../ui/use-keys.ts';
import { useListKeys } from '../../ui/use-list-keys.ts';
import { useSize } from '../../ui/use-size.ts';
import type { RunAddress } from '../use-run-address.ts';
import { FAILING, togglePreset } from './presets.ts';
import { rerunCommand } from './rerun-command.ts';
import { SamplesBottom } from './samples-bottom.tsx';
import { NoSampleMatches, NoSamples } from './samples-empty.tsx';
import styles from './samples-tab.module.css';
import { SamplesTable } from './samples-table.tsx';
import { SamplesToolbar } from './samples-toolbar.tsx';
import { useSampleColumns } from './use-sample-columns.ts';
import { type SamplesList, type SamplesPlace, useSamplesList } from './use-samples-list.ts';

interface SamplesTabProps {
  readonly address: RunAddress;
  readonly view: RunView;
  readonly scroller: RefObject<HTMLElement | null>;
  /** What sticks to the top of the page above this, in pixels. */
  readonly stuck: number;
  readonly memory: RefObject<SamplesPlace | undefined>;
}

/** The samples of the run, filtered and sorted. */
export function SamplesTab({ address, view, scroller, stuck, memory }: SamplesTabProps) {
  const list = useSamplesList({ address, view, memory });
  const page = list.pages.head.data;
  const columns = useSampleColumns(address, view, page);
  const [bar, size] = useSize<HTMLDivElement>();
  const copied = useCopy();
  const onExport = () => page !== undefined && copied.copy(page.command);
  const barHeight = stuck + (size?.height ?? 0);
  const ids = [...list.rows.selected];
  useSamplesKeys({ address, list, onExport });
  return (
    <div className={styles.tab} style={{ '--above': `${stuck}px`, '--bar-height': `${barHeight}px` }}>
      <div ref={bar} className={styles.bar}>
        <SamplesToolbar address={address} view={view} page={page} columns={columns} isHeld={list.isHeld} />
      </div>
      <Rows
        address={address}
        view={view}
        list={list}
        columns={columns.columns}
        scroller={scroller}
        stuck={barHeight}
      />
      <SamplesBottom
        command={page?.command}
        ids={ids}
        again={ids.length === 0 ? undefined : rerunCommand(view, ids)}
        isExportCopied={copied.isCopied}
        onExport={onExport}
        onClear={list.rows.clear}
      />
    </div>
  );
}

interface RowsProps {
  readonly address: RunAddress;
  readonly view: RunView;
  readonly list: SamplesList;
  readonly columns: ReturnType<typeof useSampleColumns>['columns'];
  readonly scroller: RefObject<HTMLElement | null>;
  readonly stuck: number;
}

function Rows({ address, view, list, columns, scroller, stuck }: RowsProps) {
  const { head, total } = list.pages;
  if (head.data === undefined)
    return head.isError ? (
      <Problem error={head.error} onRetry={() => void head.refetch()} what="The samples" />
    ) : (
      <SkeletonRows rows={16}>Reading the samples …</SkeletonRows>
    );
  if (head.data.all === 0) return <NoSamples view={view} />;
  if (total === 0)
    return <NoSampleMatches q={address.q} all={head.data.all} onChange={(q) => address.change({ q })} />;
  return (
    <SamplesTable
      address={address}
      list={list}
      columns={columns}
      epochs={view.epochs}
      evalName={view.item.facts?.eval}
      scroller={scroller}
      stuck={stuck}
    />
  );
}

interface SamplesKeysOptions {
  readonly address: RunAddress;
  readonly list: SamplesList;
  readonly onExport: () => void;
}

function useSamplesKeys({ address, list, onExport }: SamplesKeysOptions): void {
  const { rows, folded, open } = list;
  const at = rows.cursor < 0 ? undefined : folded.fold.at(rows.cursor);
  const isOpen = at !== undefined && folded.open.some(({ index }) => index === at.sample);
  const fold = useRef<() => void>(() => undefined);
  fold.current = () => {
    if (at === undefined) return;
    // From one of its epochs the cursor goes back to the sample.
    if (at.epoch !== undefined) rows.goTo(folded.fold.rowOf(at.sample));
    folded.toggle(at.sample);
  };
  useListKeys({ rows, total: folded.fold.count, onOpen: open });
  useKeys('Lists', [
    {
      keys: ['l', 'ArrowRight'],
      what: 'Show the epochs',
      run: () => fold.current(),
      isOff: at === undefined || isOpen || list.sampleAt(at.sample)?.epochs.length === 1,
    },
    { keys: ['h', 'ArrowLeft'], what: 'Hide the epochs', run: () => fold.current(), isOff: !isOpen },
    {
      keys: 'f',
      what: 'Only failing ones',
      run: () => address.change({ q: togglePreset(address.q, FAILING) }),
    },
    { keys: 'e', what: 'Copy the command that exports the samples', run: onExport },
  ]);
}
