import { Link } from '@tanstack/react-router';
import type { RunItem } from '../../../src/server/api.ts';
import { IconButton } from '../ui/button.tsx';
import { Ago, Money, Score } from '../ui/figures.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { RunLetter } from '../ui/run-letter.tsx';
import { letterOf } from '../ui/run-letters.ts';
import { shortCommit } from '../ui/run-words.ts';
import { TargetName } from '../ui/target-name.tsx';
import styles from './legend.module.css';
import { moved, withBase, without } from './runs-order.ts';

interface LegendProps {
  readonly items: readonly RunItem[];
  readonly ids: readonly string[];
  readonly onRuns: (ids: readonly string[]) => void;
}

/** Which run is which letter. The first is the base; the order is theirs who look. */
export function Legend({ items, ids, onRuns }: LegendProps) {
  return (
    <ul className={styles.legend} aria-label="Runs that are compared">
      {items.map((item, index) => (
        <li key={item.run} className={styles.card}>
          <RunCard item={item} index={index} />
          <Menu
            label={`Run ${letterOf(index)}`}
            opener={(props) => (
              <IconButton icon="more" label={`What to do with run ${letterOf(index)}`} {...props} />
            )}
            items={choicesOf(ids, index, onRuns)}
          />
        </li>
      ))}
    </ul>
  );
}

function choicesOf(
  ids: readonly string[],
  index: number,
  onRuns: (ids: readonly string[]) => void,
): readonly MenuItem[] {
  return [
    { label: 'Make it the base', onChoose: () => onRuns(withBase(ids, index)), isOff: index === 0 },
    { label: 'Move to the left', onChoose: () => onRuns(moved(ids, index, -1)), isOff: index === 0 },
    {
      label: 'Move to the right',
      onChoose: () => onRuns(moved(ids, index, 1)),
      isOff: index === ids.length - 1,
    },
    { label: 'Take it out', onChoose: () => onRuns(without(ids, ids[index] ?? '')) },
  ];
}

function RunCard({ item, index }: { readonly item: RunItem; readonly index: number }) {
  const { facts } = item;
  const score = facts?.scores[0];
  return (
    <div className={styles.about}>
      <div className={styles.first}>
        <RunLetter index={index} />
        <Link to="/runs/$run/{-$tab}" params={{ run: item.run }} className={styles.name} title={item.run}>
          <TargetName target={facts?.target ?? item.name} />
        </Link>
        {index === 0 && <span className={styles.base}>base</span>}
      </div>
      <p className={styles.meta}>
        {score !== undefined && <Score {...score} />}
        {facts !== undefined && <Money usd={facts.usd} />}
        {facts !== undefined && <Ago time={facts.start} />}
        {facts?.code !== undefined && <code title={facts.code.branch}>{shortCommit(facts.code.commit)}</code>}
        <span className={styles.eval}>{facts?.eval ?? item.damage ?? 'cannot be read'}</span>
      </p>
    </div>
  );
}
