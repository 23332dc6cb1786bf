import type { RunView } from '../../../../src/server/api.ts';
import { formatCount, formatPercent, formatUsd } from '../../ui/format.ts';
import styles from './cost-tab.module.css';

/** What each model was asked, and what that cost. */
export function ModelTable({ cost, model: evaluated }: Pick<RunView, 'cost' | 'model'>) {
  const { models, usd: spent } = cost;
  if (models.length === 0)
    return <p className={styles.none}>The log does not say which models were asked, or how much.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <div className={styles.scroller} tabIndex={0} role="region" aria-label="Tokens and cost of each model">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Model</th>
            {['Input', 'Cached', 'Output', 'Reasoning', 'All tokens', 'Cost', 'Share'].map((head) => (
              <th key={head} scope="col" className={styles.number}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map(({ model, input, cached, output, reasoning, total, usd }) => (
            <tr key={model}>
              <th scope="row">
                {model}
                {model === evaluated && models.length > 1 && <span className={styles.tag}>evaluated</span>}
              </th>
              {[input, cached, output, reasoning, total].map((tokens, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                <td key={at} className={styles.number}>
                  {formatCount(tokens)}
                </td>
              ))}
              <td className={styles.number}>{usd === null ? 'unknown' : formatUsd(usd)}</td>
              <td className={styles.number}>
                {usd === null || spent === null || spent === 0 ? '' : formatPercent(usd / spent)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
