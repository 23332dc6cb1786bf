import type { StoreView } from '../../../src/server/api.ts';
import { Badge } from '../ui/outcome.tsx';
import styles from './store-page.module.css';

const LOOKS = {
  good: { glyph: '✓', word: 'good', tone: 'pass' },
  warning: { glyph: '◆', word: 'look', tone: 'limit' },
  bad: { glyph: '✗', word: 'bad', tone: 'fail' },
} as const;

/** What is well and what is not, the worst first. */
export function Health({ health }: { readonly health: StoreView['health'] }) {
  const order = ['bad', 'warning', 'good'];
  const sorted = health.toSorted((a, b) => order.indexOf(a.is) - order.indexOf(b.is));
  return (
    <section aria-labelledby="health">
      <h2 id="health">Health</h2>
      <ul className={styles.health}>
        {sorted.map(({ is, said, hint }) => (
          <li key={said}>
            <span className={styles.state}>
              <Badge tone={LOOKS[is].tone} glyph={LOOKS[is].glyph}>
                {LOOKS[is].word}
              </Badge>
            </span>
            <span>
              {said} {hint !== undefined && <span className={styles.quiet}>{hint}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
