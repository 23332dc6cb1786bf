import { useParams } from '@tanstack/react-router';
import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { SampleHeader } from './head/sample-header.tsx';
import { useNeighbours } from './head/use-neighbours.ts';
import { SampleTabs } from './sample-tabs.tsx';
import { useSampleSearch } from './use-sample-search.ts';

/** One sample at one epoch. */
export function Page() {
  const params = useParams({ from: '/runs/$run/s/$sample/$epoch' });
  const epoch = Number(params.epoch);
  const { run, sample } = params;
  const { search } = useSampleSearch();
  const { q, sort, score } = search;
  const query = score === '' ? {} : { score };
  const view = useAsk('sample', { run, sample, epoch }, query);
  const neighbours = useNeighbours({ run, sample, epoch, q, sort, score });
  return (
    <PageFrame
      title={sample}
      head={
        <SampleHeader
          view={view.data}
          run={run}
          sample={sample}
          epoch={epoch}
          list={{ q, sort, score }}
          neighbours={neighbours}
        />
      }
    >
      <SampleTabs
        // Another sample is another page: nothing of the last one, its scroll least of all, is kept.
        key={`${run}\n${sample}\n${epoch}\n${search.attempt}`}
        run={run}
        sample={sample}
        epoch={epoch}
        view={view}
        onStep={neighbours.step}
      />
    </PageFrame>
  );
}
