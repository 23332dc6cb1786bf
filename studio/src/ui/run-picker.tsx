import { useState } from 'react';
import type { RunItem } from '../../../src/server/api.ts';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from './asked.tsx';
import { Button } from './button.tsx';
import { Ago, Score } from './figures.tsx';
import { Popover } from './popover.tsx';
import { QueryField } from './query-field.tsx';
import styles from './run-picker.module.css';
import { SkeletonRows } from './skeleton.tsx';

interface RunPickerProps {
  /** Of the button that opens it. */
  readonly label: string;
  /** Runs that are there already. */
  readonly chosen: readonly string[];
  /** The eval whose runs are offered first. */
  readonly like?: string | undefined;
  readonly onChoose: (run: string) => void;
}

/** A button that offers the newest runs, and takes a filter to find others. */
export function RunPicker({ label, chosen, like, onChoose }: RunPickerProps) {
  return (
    <Popover
      label={label}
      className={styles.popover}
      opener={(props) => (
        <Button icon="plus" kind="quiet" {...props}>
          {label}
        </Button>
      )}
    >
      {(close) => (
        <RunChoice
          chosen={chosen}
          like={like}
          onChoose={(run) => {
            close();
            onChoose(run);
          }}
        />
      )}
    </Popover>
  );
}

const SHOWN = 40;

function RunChoice({ chosen, like, onChoose }: Omit<RunPickerProps, 'label'>) {
  const [q, setQ] = useState(like === undefined ? '' : `eval:${quoted(like)}`);
  const runs = useAsk('runs', {}, { q, limit: SHOWN }, { isKept: true });
  return (
    <div className={styles.choice}>
      <QueryField
        label="Filter runs"
        placeholder="eval: target: tag: or any text"
        value={q}
        onChange={setQ}
        waitMs={200}
        wrong={runs.data?.wrong}
        isFocused
      />
      <Asked query={runs} what="Runs" waiting={<SkeletonRows rows={8} />}>
        {({ runs: found, total }) => (
          <ul className={styles.list}>
            {found.map((item) => (
              <li key={item.run}>
                <RunOffer item={item} isChosen={chosen.includes(item.run)} onChoose={onChoose} />
              </li>
            ))}
            {found.length === 0 && (
              <li className={styles.note}>No run matches. Clear the filter to see all.</li>
            )}
            {total > found.length && (
              <li className={styles.note}>{total - found.length} more: filter to find them.</li>
            )}
          </ul>
        )}
      </Asked>
    </div>
  );
}

interface RunOfferProps {
  readonly item: RunItem;
  readonly isChosen: boolean;
  readonly onChoose: (run: string) => void;
}

function RunOffer({ item, isChosen, onChoose }: RunOfferProps) {
  const { facts } = item;
  const score = facts?.scores[0];
  return (
    <button
      type="button"
      className={styles.offer}
      disabled={isChosen || facts === undefined}
      onClick={() => onChoose(item.run)}
    >
      <span className={styles.name}>
        <strong>{facts?.target ?? item.name}</strong> {facts?.eval ?? item.damage}
      </span>
      <span className={styles.score}>{score !== undefined && <Score {...score} />}</span>
      <span className={styles.when}>
        {isChosen ? 'chosen' : facts !== undefined && <Ago time={facts.start} />}
      </span>
    </button>
  );
}

function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`;
}
