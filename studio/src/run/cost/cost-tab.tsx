import type { RunView } from '../../../../src/server/api.ts';
import { formatUsd } from '../../ui/format.ts';
import type { RunAddress } from '../use-run-address.ts';
import styles from './cost-tab.module.css';
import { CostlySamples } from './costly-samples.tsx';
import { ModelTable } from './model-table.tsx';
import { Waterfall } from './waterfall.tsx';

interface CostTabProps {
  readonly view: RunView;
  readonly address: RunAddress;
}

/** What the run cost, and what for. */
export default function CostTab({ view, address }: CostTabProps) {
  const { cost, counts, model } = view;
  return (
    <div className={styles.tab}>
      <section className={styles.part} aria-label="What the money went into">
        {cost.usd === null && cost.wastedUsd === null && cost.savedUsd === null ? (
          <>
            <h3>Nobody knows what it cost</h3>
            <p className={styles.none}>
              The log has no prices. Tokens are known: <code>holdfast run --prices prices.json</code> counts
              the next run in dollars.
            </p>
          </>
        ) : (
          <Waterfall view={view} />
        )}
        {cost.perSolvedUsd !== null && (
          <p className={styles.none}>
            {formatUsd(cost.perSolvedUsd)} for each of the {counts.pass} results that passed.
          </p>
        )}
      </section>
      <section className={styles.part} aria-label="Cost by model">
        <h3>By model</h3>
        <ModelTable cost={cost} model={model} />
      </section>
      <CostlySamples view={view} address={address} />
    </div>
  );
}
