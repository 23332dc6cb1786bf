import { Button } from './button.tsx';
import styles from './commands-menu.module.css';
import { CopyCommand } from './copy.tsx';
import { Popover } from './popover.tsx';

interface CommandsMenuProps {
  readonly commands: readonly { readonly what: string; readonly command: string }[];
}

/** What can be typed about what the page shows, ready to be copied. */
export function CommandsMenu({ commands }: CommandsMenuProps) {
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
