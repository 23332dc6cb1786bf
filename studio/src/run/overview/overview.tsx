import type { RunView } from '../../../../src/server/api.ts';
import type { RunAddress } from '../use-run-address.ts';
import { MoneyCard } from './money-card.tsx';
import { OutcomesCard } from './outcomes-card.tsx';
import styles from './overview.module.css';
import { PreviousCard } from './previous-card.tsx';
import { ScoresCard } from './scores-card.tsx';

/** How the run went, in figures. */
export function Overview({ view, address }: { readonly view: RunView; readonly address: RunAddress }) {
  return (
    <div className={styles.overview}>
      <ScoresCard view={view} />
      <OutcomesCard view={view} address={address} />
      <MoneyCard view={view} />
      <PreviousCard view={view} address={address} />
    </div>
  );
}
