import type { RunTimeline } from '../../../../src/server/api.ts';
import { useAsk } from '../../data/use-ask.ts';
import { Asked } from '../../ui/asked.tsx';
import { ChartFrame } from '../../ui/chart-frame.tsx';
import { Empty } from '../../ui/empty.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { outcomeShown } from '../../ui/outcomes.ts';
import type { RunSearch } from '../use-run-search.ts';
import styles from './timeline.module.css';
import { TimelineChart } from './timeline-chart.tsx';

/** What happened when, on one axis of time. */
export function TimelineTab({ view }: { readonly view: RunSearch }) {
  const query = view.score === '' ? {} : { score: view.score };
  const timeline = useAsk('timeline', { run: view.run }, query, { isKept: true });
  return (
    <div className={styles.tab}>
      <h2 className="visually-hidden">Timeline</h2>
      <Asked query={timeline} what="The timeline">
        {(data) =>
          data.samples.length === 0 ? (
            <Empty title="Nothing has happened yet" />
          ) : (
            <>
              <ChartFrame
                title={titleOf(data)}
                note="Point at a mark to read it; click an ending to open the sample. Arrow keys go from ending to ending."
                table={tableOf(data)}
              >
                <TimelineChart timeline={data} view={view} />
              </ChartFrame>
              <Marks timeline={data} />
            </>
          )
        }
      </Asked>
    </div>
  );
}

/** The chart's finding. */
function titleOf({ samples, active, marks, startMs, endMs }: RunTimeline): string {
  const most = active.reduce((max, [, count]) => Math.max(max, count), 0);
  const crashes = marks.filter(({ kind }) => kind === 'crash').length;
  const waits = marks.filter(({ kind }) => kind === 'rate limit');
  const waitedMs = waits.reduce((sum, { at, to }) => sum + ((to ?? at) - at), 0);
  return [
    `${formatCount(samples.length)} samples in ${formatDuration(endMs - startMs)}, up to ${formatCount(most)} at once`,
    ...(crashes > 0 ? [`${crashes} ${crashes === 1 ? 'crash' : 'crashes'}`] : []),
    ...(waits.length > 0 ? [`${formatDuration(waitedMs)} of waits for rate limits`] : []),
  ].join(', ');
}

function tableOf({ samples }: RunTimeline) {
  return {
    heads: ['sample', 'epoch', 'began', 'ended', 'took', 'outcome'],
    rows: samples.map(({ id, epoch, from, to, outcome }) => [
      String(id),
      epoch,
      formatDuration(from),
      formatDuration(to),
      formatDuration(to - from),
      outcomeShown(outcome).word,
    ]),
  };
}

/** Waits, retries, crashes and settings, in words. */
function Marks({ timeline }: { readonly timeline: RunTimeline }) {
  if (timeline.marks.length === 0) return null;
  return (
    <section aria-label="What happened meanwhile">
      <h2 className={styles.title}>What happened meanwhile</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <ol className={styles.marks} tabIndex={0}>
        {timeline.marks
          .toSorted((a, b) => a.at - b.at)
          .slice(0, 500)
          .map(({ at, to, kind, said }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a mark has no other name
            <li key={index} className={styles.mark}>
              <span className={styles.when}>{formatDuration(at)}</span>
              <span className={styles.kind}>{kind}</span>
              <span>
                {said}
                {to !== undefined && to > at && ` (${formatDuration(to - at)})`}
              </span>
            </li>
          ))}
      </ol>
    </section>
  );
}
