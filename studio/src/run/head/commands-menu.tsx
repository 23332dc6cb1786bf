import type { RunView } from '../../../../src/server/api.ts';
import { Button } from '../../ui/button.tsx';
import { CopyCommand } from '../../ui/copy.tsx';
import { Popover } from '../../ui/popover.tsx';
import styles from './commands-menu.module.css';

/** What can be typed about the run, ready to be copied. */
export function CommandsMenu({ commands }: { readonly commands: RunView['commands'] }) {
  if (commands.length === 0) return null;
  return (
    <Popover
      label="Commands"
      align="end"
      className={styles.popover}
      opener={(props) => <Button {...props}>Commands</Button>}
    >
      {() => (
        <dl className={styles.list}>
          {commands.map(({ what, command }) => (
            <div key={command}>
              <dt className={styles.what}>{what}</dt>
              <dd>
                <CopyCommand label="" command={command} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Popover>
  );
}
