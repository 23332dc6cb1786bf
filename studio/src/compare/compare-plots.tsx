import type { CompareView } from '../../../src/server/api.ts';
import { formatCount } from '../ui/format.ts';
import { Problem } from '../ui/problem.tsx';
import { letterOf } from '../ui/run-letters.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { BinPlot } from './plots/bin-plot.tsx';
import { CostScore } from './plots/cost-score.tsx';
import { pairsOf } from './plots/pairs.ts';
import styles from './plots/plots.module.css';
import { SlopePlot } from './plots/slope-plot.tsx';
import { SpreadPlot } from './plots/spread-plot.tsx';
import { useAllCompared } from './use-all-compared.ts';
import type { CompareAddress } from './use-compare.ts';

/** With more, lines would only hide each other. */
const SLOPES_MAX = 300;

interface ComparePlotsProps {
  readonly view: CompareView;
  readonly address: CompareAddress;
  readonly other: number;
  readonly onFilter: (q: string) => void;
}

/** The samples as pictures: how they move, what they cost, how long they take. */
export function ComparePlots({ view, address, other, onFilter }: ComparePlotsProps) {
  const { samples, all, error, isWhole, retry } = useAllCompared(address);
  if (error !== undefined) return <Problem error={error} what="The plots" onRetry={retry} />;
  if (samples.length === 0 && !isWhole) return <SkeletonRows rows={10}>Reading the samples …</SkeletonRows>;
  const pairs = pairsOf(samples, other);
  const Paired = pairs.length <= SLOPES_MAX ? SlopePlot : BinPlot;
  const left = samples.length - pairs.length;
  return (
    <>
      <div className={styles.plots}>
        <Paired pairs={pairs} other={other} onFilter={onFilter} />
        {view.others.length > 1 && <CostScore view={view} />}
        <SpreadPlot samples={samples} runs={view.others.length + 1} />
      </div>
      <p className={styles.left}>
        {left > 0 &&
          `${formatCount(left)} samples have no score in ${letterOf(0)} or in ${letterOf(other)}, and are not among the pairs. `}
        {!isWhole && `${formatCount(samples.length)} of ${formatCount(all)} samples are drawn.`}
      </p>
    </>
  );
}
