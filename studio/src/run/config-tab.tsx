import { Link } from '@tanstack/react-router';
import type { AnyJson, RunView } from '../../../src/server/api.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { formatCount } from '../ui/format.ts';
import { JsonTree } from '../ui/json-tree/json-tree.tsx';
import styles from './config-tab.module.css';
import type { RunSearch } from './use-run-search.ts';

type Setting = RunView['config'][number];

/** Settings of the run: those that differ from the previous run, or all. */
export function ConfigTab({ run, view }: { readonly run: RunView; readonly view: RunSearch }) {
  const changed = run.config.filter(({ isChanged }) => isChanged);
  const isAll = view.show === 'all' || run.previous === undefined;
  const shown = isAll ? run.config : changed;
  const groups = [...new Set(shown.map(({ group }) => group))];
  return (
    <div className={styles.tab}>
      <p className={styles.tools}>
        {run.previous === undefined ? (
          <span>There is no earlier run to compare with.</span>
        ) : (
          <>
            <span>
              {formatCount(changed.length)} of {formatCount(run.config.length)} settings differ from the{' '}
              <Link to="/runs/$run/{-$tab}" params={{ run: run.previous.run, tab: 'config' }}>
                previous run
              </Link>
            </span>
            <Button isOn={isAll} onClick={() => view.change({ show: isAll ? '' : 'all' })}>
              Show all
            </Button>
          </>
        )}
      </p>
      {shown.length === 0 && (
        <Empty title="Nothing changed">
          <p>Every setting is as it was in the previous run.</p>
        </Empty>
      )}
      {groups.map((group) => (
        <section key={group} className={styles.group} aria-label={group}>
          <h2 className={styles.title}>{group}</h2>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Setting</th>
                <th scope="col">This run</th>
                <th scope="col">{run.previous === undefined ? '' : 'Previous run'}</th>
              </tr>
            </thead>
            <tbody>
              {shown
                .filter((setting) => setting.group === group)
                .map((setting) => (
                  <SettingRow key={setting.key} setting={setting} hasPrevious={run.previous !== undefined} />
                ))}
            </tbody>
          </table>
        </section>
      ))}
    </div>
  );
}

function SettingRow({ setting, hasPrevious }: { readonly setting: Setting; readonly hasPrevious: boolean }) {
  const { key, value, previous, isChanged } = setting;
  return (
    <tr className={isChanged ? styles.isChanged : undefined}>
      <th scope="row">
        {key}
        {isChanged && <span className={styles.mark}>changed</span>}
      </th>
      <td>
        <Value value={value} />
      </td>
      <td>{isChanged && hasPrevious && (previous === undefined ? 'not set' : <Value value={previous} />)}</td>
    </tr>
  );
}

function Value({ value }: { readonly value: AnyJson }) {
  if (value === null) return <span className={styles.none}>none</span>;
  if (typeof value === 'object') return <JsonTree value={value} openDepth={2} />;
  return <code className={styles.value}>{String(value)}</code>;
}
