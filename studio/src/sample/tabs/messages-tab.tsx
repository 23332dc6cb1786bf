import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { useData } from '../../data/data-context.tsx';
import { askOptions, useAsk } from '../../data/use-ask.ts';
import { Empty } from '../../ui/empty.tsx';
import { Problem } from '../../ui/problem.tsx';
import { ScaledList } from '../../ui/scaled/scaled-list.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { MessageView } from '../events/message-view.tsx';
import { useSampleHere } from '../sample-here.ts';
import styles from './tabs.module.css';

const PAGE = 50;

/** The conversation as it was at the end of the sample. */
export function MessagesTab() {
  const { run, sample, epoch } = useSampleHere();
  const data = useData();
  const [pages, setPages] = useState<readonly number[]>([0]);
  const first = useAsk('messages', { run, sample, epoch }, { from: 0, limit: PAGE });
  const loaded = useQueries({
    queries: pages.map((page) => ({
      ...askOptions(data, 'messages', { run, sample, epoch }, { from: page * PAGE, limit: PAGE }),
      placeholderData: keepPreviousData,
    })),
  });
  if (first.error !== null)
    return <Problem error={first.error} onRetry={() => void first.refetch()} what="The conversation" />;
  if (first.data === undefined) return <SkeletonRows rows={8} rowHeight={64} />;
  const { total } = first.data;
  if (total === 0) return <Empty title="This sample has no conversation" />;
  const byPlace = new Map(
    loaded.flatMap(({ data: page }) =>
      (page?.messages ?? []).map((message, at) => [(page?.from ?? 0) + at, message] as const),
    ),
  );
  const onView = (from: number, to: number) => {
    const wanted: number[] = [];
    for (let page = Math.floor(from / PAGE); page <= Math.floor(to / PAGE); page++) wanted.push(page);
    if (wanted.join() !== pages.join()) setPages(wanted);
  };
  return (
    <ScaledList label="Messages" count={total} version={sample} estimate={() => 140} onView={onView}>
      {(row) => {
        const message = byPlace.get(row);
        return (
          <div className={styles.message}>
            {message === undefined ? (
              <div className={styles.waiting} />
            ) : (
              <MessageView message={message} number={row + 1} />
            )}
          </div>
        );
      }}
    </ScaledList>
  );
}
