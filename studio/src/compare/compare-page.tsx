import { Link } from '@tanstack/react-router';
import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Problem } from '../ui/problem.tsx';
import { ChooseRuns } from './choose-runs.tsx';
import { Compared } from './compared.tsx';
import { printRuns } from './runs-order.ts';
import { type CompareAddress, useCompare } from './use-compare.ts';

/** Two to six runs beside each other. */
export function Page() {
  const address = useCompare();
  const isChosen = address.ids.length >= 2;
  return (
    <PageFrame
      title="Compare"
      head={isChosen ? <h1 className="visually-hidden">Compare runs</h1> : undefined}
    >
      {isChosen ? <Comparison address={address} /> : <ChooseRuns address={address} />}
    </PageFrame>
  );
}

function Comparison({ address }: { readonly address: CompareAddress }) {
  const { ids, score } = address;
  const view = useAsk(
    'compare',
    {},
    { runs: printRuns(ids), score: score === '' ? undefined : score },
    { isKept: true },
  );
  if (view.data === undefined && view.isError)
    return (
      <>
        <Problem error={view.error} what="The comparison" onRetry={() => void view.refetch()} />
        <Empty title="Other runs can be compared">
          {ids.length > 2 && (
            <Button onClick={() => address.setRuns(ids.slice(1))}>
              Compare the others, without the first
            </Button>
          )}
          <Link to="/compare">Choose runs</Link>
        </Empty>
      </>
    );
  return (
    <Asked query={view} what="The comparison">
      {(answer) => <Compared view={answer} address={address} />}
    </Asked>
  );
}
