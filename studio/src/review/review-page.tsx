import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { ResizablePane } from '../ui/resizable-pane.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { Agreement } from './agreement.tsx';
import { keyOf } from './queue.ts';
import { QueueList } from './queue-list.tsx';
import styles from './review-page.module.css';
import { ReviewRuns } from './review-runs.tsx';
import { ReviewedSample } from './reviewed-sample.tsx';
import { type Review, useReview } from './use-review.ts';
import { VerdictBar } from './verdict-bar.tsx';

/** Samples to be judged by people, one after another, by keyboard. */
export function Page() {
  const review = useReview();
  useKeys('Review', [
    { keys: ['j', 'ArrowDown'], what: 'Next sample', run: review.next },
    { keys: ['k', 'ArrowUp'], what: 'Previous sample', run: review.previous },
    { keys: 'u', what: 'Back to the sample before', run: review.back },
    { keys: 'z', what: 'Take the last verdict back', run: () => void review.undo(), isOff: !review.canUndo },
  ]);
  return (
    <PageFrame title="Review" head={<h1 className="visually-hidden">Review</h1>}>
      <Asked query={review.queue} what="The queue">
        {(queue) => (
          <div className={styles.page}>
            <ResizablePane name="review" label="the queue" side="left" initial={300} min={220} max={460}>
              <div className={styles.left}>
                <ReviewRuns review={review} queue={queue} />
                <Agreement
                  queue={queue}
                  show={review.search.show}
                  onShow={(show) => review.set({ show, at: '' })}
                />
                <QueueList items={review.items} at={review.item && keyOf(review.item)} onGo={review.goTo} />
              </div>
            </ResizablePane>
            <div className={styles.right}>
              {review.item === undefined ? (
                <NothingToJudge review={review} all={queue.total} />
              ) : (
                <Judging review={review} />
              )}
            </div>
          </div>
        )}
      </Asked>
    </PageFrame>
  );
}

function Judging({ review }: { readonly review: Review }) {
  const about = useAsk('about', {}, {});
  const { item, queue } = review;
  if (item === undefined) return null;
  const whyNot =
    queue.data?.canWrite === false
      ? (queue.data.whyNot ?? 'Nothing can be written here.')
      : about.data?.canWrite === false
        ? (about.data.whyNot ?? 'This page has no token that allows to write.')
        : undefined;
  return (
    <>
      <ReviewedSample key={keyOf(item)} item={item} />
      <VerdictBar key={`${keyOf(item)} bar`} item={item} review={review} whyNot={whyNot} />
    </>
  );
}

function NothingToJudge({ review, all }: { readonly review: Review; readonly all: number }) {
  if (all > 0)
    return (
      <Empty title="No sample is shown">
        <p>{all} samples are in the queue, none of them is of the kind that was chosen.</p>
        <Button onClick={() => review.set({ show: 'all' })}>Show all</Button>
      </Empty>
    );
  return (
    <Empty title="There is nothing to judge">
      <p>Choose a run that has samples, or publish one: verdicts are kept beside published runs.</p>
    </Empty>
  );
}
