import type { RunTimeline, RunView } from '../../../../src/server/api.ts';
import { useAsk } from '../../data/use-ask.ts';
import { Asked } from '../../ui/asked.tsx';
import { Button } from '../../ui/button.tsx';
import { ChartFrame } from '../../ui/chart-frame.tsx';
import { Empty } from '../../ui/empty.tsx';
import { formatPercent } from '../../ui/format.ts';
import type { RunAddress } from '../use-run-address.ts';
import { gapsOf } from './time-scale.ts';
import { TimelineChart } from './timeline-chart.tsx';
import styles from './timeline-tab.module.css';
import { idleShare, timelineSaid, timelineTable } from './timeline-words.ts';

/** Less than this is no reason to leave anything out. */
const IDLE_MIN = 0.15;

const NOTE =
  'Dots are endings, larger where several fall together. A dot opens its sample; arrows go from mark to mark.';
const TOKENS_NOTE = ' Tokens of a sample are spread evenly over the time that it took.';

interface TimelineTabProps {
  readonly view: RunView;
  readonly address: RunAddress;
}

/** What happened when. */
export default function TimelineTab({ view, address }: TimelineTabProps) {
  const timeline = useAsk('timeline', { run: address.run }, address.askedScore, { isKept: true });
  return (
    <div className={styles.tab}>
      <Asked
        query={timeline}
        what="The timeline"
        waiting={<div className={styles.waiting} role="status" aria-label="Loading" />}
      >
        {(data) =>
          data.samples.length === 0 && data.marks.length === 0 ? (
            <Untimed view={view} />
          ) : (
            <Timed timeline={data} view={view} address={address} />
          )
        }
      </Asked>
    </div>
  );
}

function Untimed({ view }: { readonly view: RunView }) {
  return (
    <Empty title="Nothing is known of when its samples ran">
      <p>
        {view.item.form === 'running'
          ? 'No sample has begun yet; they appear here as they do.'
          : 'The log has no times of its samples, so there is nothing to draw.'}
      </p>
    </Empty>
  );
}

function Timed({ timeline, view, address }: TimelineTabProps & { readonly timeline: RunTimeline }) {
  const lengthMs = Math.max(1, timeline.endMs - timeline.startMs);
  const gaps = gapsOf(view.sessions, timeline.startMs);
  const idle = idleShare(gaps, lengthMs);
  const isTokens = timeline.tokens !== undefined && address.tokens !== 'off';
  const isCut = address.idle === 'cut' && gaps.length > 0;
  return (
    <ChartFrame
      title={timelineSaid(timeline, lengthMs)}
      note={`${NOTE}${isTokens ? TOKENS_NOTE : ''}`}
      table={timelineTable(timeline)}
      tools={
        <>
          {(idle > IDLE_MIN || isCut) && (
            <Button kind="quiet" isOn={isCut} onClick={() => address.change({ idle: isCut ? '' : 'cut' })}>
              {isCut ? 'Pauses left out' : `${formatPercent(idle)} is pauses: leave them out`}
            </Button>
          )}
          {timeline.tokens !== undefined && (
            <Button
              kind="quiet"
              isOn={isTokens}
              onClick={() => address.change({ tokens: isTokens ? 'off' : '' })}
            >
              Tokens per second
            </Button>
          )}
        </>
      }
    >
      <TimelineChart timeline={timeline} lengthMs={lengthMs} gaps={gaps} isCut={isCut} address={address} />
    </ChartFrame>
  );
}
