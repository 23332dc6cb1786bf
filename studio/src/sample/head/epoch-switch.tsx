import type { SampleView } from '../../../../src/server/api.ts';
import { classes } from '../../ui/classes.ts';
import { OutcomeBadge } from '../../ui/outcome.tsx';
import styles from './sample-header.module.css';

/** More are chosen by a list. */
const BUTTONS_MAX = 8;

/** The epochs of a sample, each with what became of it. */
export function EpochSwitch({
  view,
  onGo,
}: {
  readonly view: SampleView;
  readonly onGo: (epoch: number) => void;
}) {
  const { epochs, epoch: current } = view;
  if (epochs.length < 2) return null;
  if (epochs.length > BUTTONS_MAX)
    return (
      <label className={styles.epochs}>
        epoch{' '}
        <select
          value={current}
          className={styles.select}
          onChange={(event) => onGo(Number(event.target.value))}
        >
          {epochs.map(({ epoch, outcome }) => (
            <option key={epoch} value={epoch}>
              {epoch} {outcome}
            </option>
          ))}
        </select>
      </label>
    );
  return (
    <span className={styles.epochs}>
      epoch
      {epochs.map(({ epoch, outcome }) => (
        <button
          key={epoch}
          type="button"
          className={classes(styles.epoch, epoch === current && styles.isOn)}
          aria-pressed={epoch === current}
          onClick={() => onGo(epoch)}
        >
          {epoch} <OutcomeBadge outcome={outcome} isShort />
        </button>
      ))}
    </span>
  );
}
