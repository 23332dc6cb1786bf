import { useAsk } from '../data/use-ask.ts';
import { Bar, SkeletonRows } from '../ui/skeleton.tsx';
import styles from './run-page.module.css';

/** The page while the run is read, with parts as large as they will be. */
export function RunWaiting({ run }: { readonly run: string }) {
  // The list of runs often has its name already.
  const about = useAsk('about', {}, {});
  return (
    <div className={styles.waiting} role="status" aria-label="Loading">
      <h1 className="visually-hidden">Run {run}</h1>
      <div className={styles.waitingHead}>
        <Bar width="34%" />
        <Bar width="52%" />
        <Bar width="44%" />
      </div>
      <div className={styles.waitingCards}>
        <Bar width="60%" />
        <Bar width="70%" />
        <Bar width="50%" />
        <Bar width="55%" />
      </div>
      <SkeletonRows rows={14}>
        Reading the run{about.data === undefined ? '' : ' from its log'} …
      </SkeletonRows>
    </div>
  );
}
