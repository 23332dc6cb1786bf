import { getRouteApi } from '@tanstack/react-router';
import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
import { Empty } from '../ui/empty.tsx';
import { parseRuns, printRuns } from './runs-order.ts';
import { ComparedSampleView } from './sample/compared-sample.tsx';

const route = getRouteApi('/compare/s/$sample');

/** One sample in two runs: their transcripts beside each other. */
export function Page() {
  const { sample } = route.useParams();
  const { runs } = route.useSearch();
  const ids = parseRuns(runs).slice(0, 2);
  return (
    <PageFrame
      title={`${sample} in two runs`}
      head={<h1 className="visually-hidden">{sample} in two runs</h1>}
    >
      {ids.length < 2 ? (
        <Empty title="Two runs are needed">
          <p>This address names {ids.length === 1 ? 'one' : 'none'}. Open it from a comparison.</p>
        </Empty>
      ) : (
        <Transcripts sample={sample} runs={printRuns(ids)} />
      )}
    </PageFrame>
  );
}

function Transcripts({ sample, runs }: { readonly sample: string; readonly runs: string }) {
  const { epoch } = route.useSearch();
  const number = Number(epoch);
  const view = useAsk('transcripts', { sample }, { runs, epoch: number > 0 ? number : 1 }, { isKept: true });
  return (
    <Asked query={view} what="The two transcripts">
      {(answer) => <ComparedSampleView view={answer} />}
    </Asked>
  );
}
