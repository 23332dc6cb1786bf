import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { lookOf } from './kind-looks.ts';
import { HIDDEN_BY_DEFAULT } from './shown-events.ts';
import type { SkeletonStore } from './skeleton-store.ts';
import styles from './transcript.module.css';
import { type KindsChoice, useKindsChoice } from './use-shown.ts';

/** Which kinds of events are shown: the usual, all, or chosen ones. */
export function KindsMenu({
  store,
  hidden,
}: {
  readonly store: SkeletonStore;
  readonly hidden: ReadonlySet<string>;
}) {
  const [choice, choose] = useKindsChoice();
  const word = wordOf(choice);
  const toggle = (kind: string) => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    choose([...next]);
  };
  return (
    <Popover
      label="Kinds of events"
      align="end"
      opener={(props) => (
        <Button {...props} kind="quiet" icon="chevron-down">
          Events: {word}
        </Button>
      )}
    >
      {() => (
        <div className={styles.kinds}>
          <span className={styles.presets}>
            <Button isOn={word === 'default'} onClick={() => choose('default')}>
              Default
            </Button>
            <Button isOn={word === 'all'} onClick={() => choose([])}>
              All
            </Button>
          </span>
          {[...store.kinds].sort().map((kind) => (
            <label key={kind} className={styles.kind}>
              <input type="checkbox" checked={!hidden.has(kind)} onChange={() => toggle(kind)} />
              {lookOf(kind).word}
              {HIDDEN_BY_DEFAULT.has(kind) && <span className={styles.seldom}>hidden by default</span>}
            </label>
          ))}
        </div>
      )}
    </Popover>
  );
}

function wordOf(choice: KindsChoice): 'default' | 'all' | 'chosen' {
  if (choice === 'default') return 'default';
  return choice.length === 0 ? 'all' : 'chosen';
}
