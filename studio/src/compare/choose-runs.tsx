import { useState } from 'react';
import type { RunItem } from '../../../src/server/api.ts';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Ago, Money, Score } from '../ui/figures.tsx';
import { QueryField } from '../ui/query-field.tsx';
import { RunLetter } from '../ui/run-letter.tsx';
import { RUNS_MAX } from '../ui/run-letters.ts';
import styles from './choose-runs.module.css';
import { without, withRun } from './runs-order.ts';
import type { CompareAddress } from './use-compare.ts';

const SHOWN = 60;

/** No runs are chosen yet: the newest are offered. What is chosen first is the base. */
export function ChooseRuns({ address }: { readonly address: CompareAddress }) {
  const [chosen, setChosen] = useState(address.ids);
  const [q, setQ] = useState('');
  const runs = useAsk('runs', {}, { q, limit: SHOWN }, { isKept: true });
  const toggle = (run: string) =>
    setChosen(chosen.includes(run) ? without(chosen, run) : withRun(chosen, run));
  return (
    <div className={styles.page}>
      <div className={styles.bar}>
        <p className={styles.about}>
          Choose 2 to {RUNS_MAX} runs. The first is the base that the others are held against.
        </p>
        <QueryField
          label="Filter runs"
          placeholder="eval: target: tag: or any text"
          value={q}
          onChange={setQ}
          waitMs={200}
          wrong={runs.data?.wrong}
        />
        <Button kind="primary" disabled={chosen.length < 2} onClick={() => address.setRuns(chosen)}>
          Compare {chosen.length > 0 && chosen.length}
        </Button>
      </div>
      <Asked query={runs} what="Runs">
        {({ runs: found, all }) =>
          found.length === 0 ? (
            <Empty title={all === 0 ? 'There are no runs to compare' : 'No run matches'}>
              <p>
                {all === 0
                  ? 'Run an eval first, or point the Studio to logs.'
                  : 'Clear the filter to see all.'}
              </p>
            </Empty>
          ) : (
            <ul className={styles.list}>
              {found.map((item) => (
                <RunChoice
                  key={item.run}
                  item={item}
                  index={chosen.indexOf(item.run)}
                  isFull={chosen.length >= RUNS_MAX}
                  onToggle={toggle}
                />
              ))}
            </ul>
          )
        }
      </Asked>
    </div>
  );
}

interface RunChoiceProps {
  readonly item: RunItem;
  /** Which letter it has; −1 when it is not chosen. */
  readonly index: number;
  readonly isFull: boolean;
  readonly onToggle: (run: string) => void;
}

function RunChoice({ item, index, isFull, onToggle }: RunChoiceProps) {
  const { facts } = item;
  const score = facts?.scores[0];
  return (
    <li>
      <label className={styles.run}>
        <input
          type="checkbox"
          checked={index >= 0}
          disabled={facts === undefined || (isFull && index < 0)}
          onChange={() => onToggle(item.run)}
        />
        <span className={styles.letter}>{index >= 0 && <RunLetter index={index} />}</span>
        <span className={styles.name}>
          {facts === undefined ? item.name : facts.eval}
          <span className={styles.target}>{facts?.target ?? item.damage}</span>
        </span>
        <span>{score !== undefined && <Score {...score} isAligned />}</span>
        <span>{facts !== undefined && <Money usd={facts.usd} />}</span>
        <span className={styles.when}>{facts !== undefined && <Ago time={facts.start} />}</span>
      </label>
    </li>
  );
}
