import { type ReactNode, useId, useRef } from 'react';
import { classes } from './classes.ts';
import { putBeside } from './placed.ts';
import styles from './popover.module.css';

const WAIT_MS = 350;

/** More about something, on hover and on focus. What has to be known must not be only here. */
export function Tooltip({ text, children }: { readonly text: ReactNode; readonly children: ReactNode }) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const opened = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const show = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (anchor.current === null || opened.current === null) return;
      opened.current.showPopover();
      putBeside(anchor.current, opened.current);
    }, WAIT_MS);
  };
  const hide = () => {
    clearTimeout(timer.current);
    opened.current?.hidePopover();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only watches what is within it
    <span
      ref={anchor}
      className={styles.anchor}
      aria-describedby={id}
      onPointerEnter={show}
      onPointerLeave={hide}
      onFocus={show}
      onBlur={hide}
    >
      {children}
      <div
        ref={opened}
        id={id}
        role="tooltip"
        popover="manual"
        className={classes(styles.popover, styles.tooltip)}
      >
        {text}
      </div>
    </span>
  );
}
