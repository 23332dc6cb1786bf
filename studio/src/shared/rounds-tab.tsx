import type { SharedRunView } from '../../../src/server/api.ts';
import { classes } from '../ui/classes.ts';
import { ColumnHeads } from '../ui/column-heads.tsx';
import { CopyCommand } from '../ui/copy.tsx';
import { formatTime } from '../ui/format.ts';
import sectionStyles from '../ui/sections.module.css';
import styles from './tabs.module.css';

/** How often it was submitted or resumed, by whom, who cancelled it, and what can be typed about it. */
export function RoundsTab({ view }: { readonly view: SharedRunView }) {
  const { rounds, commands } = view;
  return (
    <div className={classes(sectionStyles.page, styles.parts)}>
      <section aria-labelledby="shared-rounds">
        <h2 id="shared-rounds">Rounds</h2>
        {rounds.length === 0 ? (
          <p>Its submission stopped before its first round: resume it, and it begins.</p>
        ) : (
          <table className={sectionStyles.table}>
            <ColumnHeads heads={['Round', 'Begun', 'By', 'Cancelled']} />
            <tbody>
              {rounds.map(({ n, at, by, cancelled }) => (
                <tr key={n}>
                  <td>{n}</td>
                  <td>{formatTime(at)}</td>
                  <td>{by}</td>
                  <td>{cancelled === undefined ? 'no' : cancelledText(cancelled)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <section aria-labelledby="shared-commands">
        <h2 id="shared-commands">Commands</h2>
        <ul className={sectionStyles.commands}>
          {commands.map(({ what, command }) => (
            <li key={command}>
              <CopyCommand command={command} label={what} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function cancelledText({
  at,
  by,
  reason,
}: NonNullable<SharedRunView['rounds'][number]['cancelled']>): string {
  return `${formatTime(at)} by ${by}${reason === undefined ? '' : `: ${reason}`}`;
}
