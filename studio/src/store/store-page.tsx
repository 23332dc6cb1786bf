import type { StoreView } from '../../../src/server/api.ts';
import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { classes } from '../ui/classes.ts';
import { CopyCommand } from '../ui/copy.tsx';
import { counted } from '../ui/counted.ts';
import { Problem } from '../ui/problem.tsx';
import sectionStyles from '../ui/sections.module.css';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { Health } from './health.tsx';
import { Results } from './results.tsx';
import { Sources } from './sources.tsx';
import styles from './store-page.module.css';

/** Where runs come from, whether all is well, and what waits to be pushed. */
export function Page() {
  const store = useAsk('store', {}, {});
  return (
    <PageFrame title="Store">
      {store.isPending && <SkeletonRows rows={8} rowHeight={36} />}
      {store.isError && (
        <Problem error={store.error} onRetry={() => void store.refetch()} what="The state of the store" />
      )}
      {store.data !== undefined && <StoreShown store={store.data} />}
    </PageFrame>
  );
}

function StoreShown({ store }: { readonly store: StoreView }) {
  const { index } = store;
  return (
    <div className={classes(sectionStyles.page, styles.narrow)}>
      <p className={styles.index}>
        {index.isWhole
          ? 'All places have been read.'
          : `The store is being read: ${counted(index.read, 'run')} so far.`}
      </p>
      <Health health={store.health} />
      <Sources sources={store.sources} />
      {store.results !== undefined && <Results results={store.results} />}
      {store.commands.length > 0 && (
        <section aria-labelledby="commands">
          <h2 id="commands">Commands</h2>
          <ul className={sectionStyles.commands}>
            {store.commands.map(({ what, command }) => (
              <li key={command}>
                <CopyCommand command={command} label={what} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="versions">
        <h2 id="versions">Versions</h2>
        <dl className={sectionStyles.facts}>
          {store.versions.map(({ what, version }) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>{version}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}
