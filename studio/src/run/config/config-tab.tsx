import { Link } from '@tanstack/react-router';
import type { RunView } from '../../../../src/server/api.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import type { RunAddress } from '../use-run-address.ts';
import { changedCount, groupSettings, type Setting } from './config-groups.ts';
import styles from './config-tab.module.css';
import { ConfigValue } from './config-value.tsx';

interface ConfigTabProps {
  readonly view: RunView;
  readonly address: RunAddress;
}

/** How the run was set up: what differs from the previous one, or everything. */
export default function ConfigTab({ view, address }: ConfigTabProps) {
  const { config, previous } = view;
  const changed = changedCount(view);
  const isAll = address.config === 'all' || previous === undefined;
  const groups = groupSettings(isAll ? config : config.filter(({ isChanged }) => isChanged));
  if (config.length === 0)
    return (
      <Empty title="Nothing is known of its settings">
        <p>The log does not say how the run was set up.</p>
      </Empty>
    );
  return (
    <div className={styles.tab}>
      <div className={styles.bar}>
        <p className={styles.said}>{saidOf(view, changed)}</p>
        {previous !== undefined && (
          <Button isOn={isAll} onClick={() => address.change({ config: isAll ? '' : 'all' })}>
            All {config.length} settings
          </Button>
        )}
      </div>
      {previous !== undefined && previous.changes.length > 0 && !isAll && <Changes previous={previous} />}
      {groups.length === 0 ? (
        <Empty title="No setting differs from the previous run">
          <p>Whatever changed between them is in the models, or is chance.</p>
          <Button onClick={() => address.change({ config: 'all' })}>Show all {config.length} settings</Button>
        </Empty>
      ) : (
        groups.map(({ group, settings }) => (
          <section key={group} className={styles.group} aria-label={group}>
            <h3 className={styles.title}>{group}</h3>
            <dl className={styles.settings}>
              {settings.map((setting) => (
                <SettingRow key={setting.key} setting={setting} />
              ))}
            </dl>
          </section>
        ))
      )}
    </div>
  );
}

function saidOf({ previous, config }: RunView, changed: number) {
  if (previous === undefined)
    return `${config.length} settings; there is no earlier run of this eval and target to hold them against.`;
  return (
    <>
      {changed === 1 ? '1 setting differs' : `${changed} settings differ`} from the{' '}
      <Link to="/runs/$run/{-$tab}" params={{ run: previous.run }}>
        previous run
      </Link>
      .
    </>
  );
}

function Changes({ previous }: { readonly previous: NonNullable<RunView['previous']> }) {
  return (
    <ul className={styles.changes}>
      {previous.changes.map(({ what, said, isWarning }) => (
        <li key={`${what} ${said}`}>
          <span className={isWarning ? styles.warning : styles.quiet} aria-hidden="true">
            {isWarning ? '!' : '·'}
          </span>{' '}
          {isWarning && <span className="visually-hidden">Mind: </span>}
          {said}
        </li>
      ))}
    </ul>
  );
}

function SettingRow({ setting }: { readonly setting: Setting }) {
  const { key, value, previous, isChanged } = setting;
  return (
    <div className={styles.setting}>
      <dt className={styles.key}>
        {isChanged && (
          <span className={styles.mark} title="differs from the previous run">
            ≠<span className="visually-hidden"> changed</span>
          </span>
        )}
        {key}
      </dt>
      <dd className={styles.value}>
        {isChanged && (
          <div className={styles.before}>
            <span className={styles.side}>
              <span aria-hidden="true">−</span> before
            </span>
            <ConfigValue value={previous ?? null} />
          </div>
        )}
        <div className={isChanged ? styles.now : styles.only}>
          {isChanged && (
            <span className={styles.side}>
              <span aria-hidden="true">+</span> now
            </span>
          )}
          <ConfigValue value={value} />
        </div>
      </dd>
    </div>
  );
}
