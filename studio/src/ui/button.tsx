import type { ComponentProps } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icon.tsx';
import { Kbd } from './kbd.tsx';

interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: 'plain' | 'primary' | 'quiet';
  readonly icon?: IconName;
  /** The key that does the same. */
  readonly hotkey?: string;
  readonly isOn?: boolean | undefined;
}

export function Button({ kind = 'plain', icon, hotkey, isOn, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      {...rest}
      className={classes(styles.button, styles[kind], isOn === true && styles.isOn, className)}
    >
      {icon !== undefined && <Icon name={icon} size={14} />}
      {children}
      {hotkey !== undefined && <Kbd keys={hotkey} isQuiet />}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: IconName;
  /** Read aloud, and shown on hover. */
  readonly label: string;
  readonly isOn?: boolean | undefined;
}

export function IconButton({ icon, label, isOn, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={isOn}
      title={label}
      {...rest}
      className={classes(styles.button, styles.quiet, styles.icon, isOn === true && styles.isOn, className)}
    >
      <Icon name={icon} />
    </button>
  );
}
