import { scaleLinear } from 'd3-scale';
import { useRef } from 'react';
import type { RunView } from '../../../../src/server/api.ts';
import { ChartFrame } from '../../ui/chart-frame.tsx';
import { classes } from '../../ui/classes.ts';
import { Money } from '../../ui/figures.tsx';
import { formatCount, formatUsd } from '../../ui/format.ts';
import { useWidth } from '../../ui/use-width.ts';
import styles from './cost-tab.module.css';
import { type CostStep, costSteps } from './waterfall.ts';

const ROW = 30;
const NAMES = 120;
const VALUES = 90;

/** Where the money went. */
export function CostTab({ run }: { readonly run: RunView }) {
  const { cost } = run;
  const steps = costSteps(cost);
  return (
    <div className={styles.tab}>
      <h2 className="visually-hidden">Cost</h2>
      {steps.length === 0 ? (
        <p className={styles.quiet}>
          Nobody knows what this run cost: no model that it used has a known price.
        </p>
      ) : (
        <ChartFrame
          title={titleOf(run)}
          table={{
            heads: ['what', 'dollars', 'about'],
            rows: steps.map(({ name, from, to, about }) => [name, formatUsd(to - from), about]),
          }}
        >
          <Waterfall steps={steps} />
        </ChartFrame>
      )}
      <h2 className={styles.title}>By model</h2>
      <ModelTable run={run} />
    </div>
  );
}

function titleOf({ cost, counts }: RunView): string {
  const solved =
    cost.perSolvedUsd === null
      ? ''
      : `, ${formatUsd(cost.perSolvedUsd)} for each of ${formatCount(counts.pass)} that passed`;
  return `${formatUsd(cost.usd)} were spent${solved}`;
}

function Waterfall({ steps }: { readonly steps: readonly CostStep[] }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const most = Math.max(...steps.map(({ to }) => to), 1e-9);
  const x = scaleLinear([0, most], [NAMES, Math.max(NAMES + 20, width - VALUES)]);
  return (
    <div ref={box}>
      {width > 0 && (
        <svg width={width} height={steps.length * ROW} role="img" aria-label="Bars of what was spent">
          {steps.map(({ name, from, to, tone, about }, at) => (
            <g key={name} transform={`translate(0 ${at * ROW})`}>
              <title>{about}</title>
              <text className={styles.name} x={0} y={ROW / 2 + 4}>
                {name}
              </text>
              <rect
                className={classes(styles.bar, styles[tone])}
                x={x(from)}
                width={Math.max(1, x(to) - x(from))}
                y={5}
                height={ROW - 10}
                rx={2}
              />
              <text className={styles.amount} x={x(to) + 8} y={ROW / 2 + 4}>
                {tone === 'saved' ? '−' : ''}
                {formatUsd(to - from)}
              </text>
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}

function ModelTable({ run }: { readonly run: RunView }) {
  const { models } = run.cost;
  if (models.length === 0)
    return <p className={styles.quiet}>No model was used, or none was written down.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <div className={styles.scroll} tabIndex={0} role="region" aria-label="Use of models">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Input</th>
            <th scope="col">of it cached</th>
            <th scope="col">Output</th>
            <th scope="col">of it thinking</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {models.map(({ model, input, cached, output, reasoning, total, usd }) => (
            <tr key={model}>
              <th scope="row">{model}</th>
              <td>{formatCount(input)}</td>
              <td>{formatCount(cached)}</td>
              <td>{formatCount(output)}</td>
              <td>{formatCount(reasoning)}</td>
              <td>{formatCount(total)}</td>
              <td>
                <Money usd={usd} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
