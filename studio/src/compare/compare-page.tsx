import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
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
  return (
    <Asked query={view} what="The comparison">
      {(answer) => <Compared view={answer} address={address} />}
    </Asked>
  );
}
