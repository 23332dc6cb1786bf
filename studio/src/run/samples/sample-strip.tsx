import { Link } from '@tanstack/react-router';
import type { SampleItem } from '../../../../src/server/api.ts';
import { OutcomeMark } from '../../ui/outcome-strip.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import styles from './sample-strip.module.css';
import { resultsOf, type SampleStrip } from './sample-strips.ts';

interface StripProps {
  readonly item: SampleItem;
  readonly strip: SampleStrip | undefined;
  /** Without the name of its eval nobody finds its other runs. */
  readonly evalName: string | undefined;
  /** The row that keys are about: there the strip can be gone to, and tells its results. */
  readonly isCursor: boolean;
}

/** The last results of a sample, the one of this run at the end. It leads to the sample over time. */
export function Strip({ item, strip, evalName, isCursor }: StripProps) {
  if (strip === undefined || evalName === undefined) return null;
  const results = resultsOf(strip);
  const said = results.map(({ word }) => word).join(', ');
  const link = (
    <Link
      to="/evals/$eval/s/$sample"
      params={{ eval: evalName, sample: String(item.id) }}
      tabIndex={isCursor ? 0 : -1}
      className={styles.strip}
      aria-label={`${item.id} over time; oldest first: ${said}`}
    >
      {results.map(({ run, outcome, told }) => (
        <OutcomeMark key={run} outcome={outcome} title={told} isNarrow />
      ))}
    </Link>
  );
  return isCursor ? <Tooltip text={<Results results={results} />}>{link}</Tooltip> : link;
}

type Result = ReturnType<typeof resultsOf>[number];

function Results({ results }: { readonly results: readonly Result[] }) {
  return results.map(({ run, told }) => <div key={run}>{told}</div>);
}
