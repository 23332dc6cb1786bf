import { z } from 'zod';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { useStepping } from '../ui/step-keys.ts';
import { type Key, SINGLE_KEYS, useRegisteredKeys } from '../ui/use-keys.ts';
import { usePersisted } from '../ui/use-persisted.ts';
import styles from './key-sheet.module.css';

/** Every key that does something here and now; none that does nothing. */
export default function KeySheet({ onClose }: { readonly onClose: () => void }) {
  const registered = useRegisteredKeys();
  const [isOn, setIsOn] = usePersisted(SINGLE_KEYS, z.boolean(), true);
  const groups = Map.groupBy(
    registered
      .toReversed()
      .flatMap(({ group, keys }) =>
        keys.filter(({ isOff }) => isOff !== true).map((key) => ({ group, key })),
      ),
    ({ group }) => group,
  );
  return (
    <Dialog title="Keys" onClose={onClose} className={styles.sheet}>
      <div className={styles.groups}>
        {[...groups].map(([group, keys]) => (
          <section key={group} aria-label={group}>
            <h3 className={styles.group}>{group}</h3>
            <dl>
              {keys.map(({ key }) => (
                <KeyLine key={`${key.keys}`} of={key} />
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className={styles.settings}>
        <label className={styles.setting}>
          <input type="checkbox" checked={isOn} onChange={(event) => setIsOn(event.target.checked)} />
          Single keys do something (those with {'Ctrl or ⌘'} always do)
        </label>
        <SteppingChoice />
      </div>
    </Dialog>
  );
}

const STEPPINGS = [
  { value: 'samples', label: 'from sample to sample' },
  { value: 'turns', label: 'from turn to turn, as in Inspect' },
] as const;

/** Who comes from Inspect keeps the keys that fingers know; n and p then do what j and k did. */
function SteppingChoice() {
  const [chosen, choose] = useStepping();
  return (
    <fieldset className={styles.choice}>
      <legend>In a sample j and k go</legend>
      {STEPPINGS.map(({ value, label }) => (
        <label key={value} className={styles.setting}>
          <input type="radio" name="stepping" checked={chosen === value} onChange={() => choose(value)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

function KeyLine({ of: { keys, what } }: { readonly of: Key }) {
  const specs = typeof keys === 'string' ? [keys] : keys;
  return (
    <div className={styles.line}>
      <dt>
        {specs.map((spec) => (
          <Kbd key={spec} keys={spec} />
        ))}
      </dt>
      <dd>{what}</dd>
    </div>
  );
}
