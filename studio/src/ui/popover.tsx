import { type ReactNode, useId, useRef, useState } from 'react';
import { classes } from './classes.ts';
import { putBeside } from './placed.ts';
import styles from './popover.module.css';

/** What a control must have to open a popover. */
export interface OpenerProps {
  readonly popoverTarget: string;
  readonly 'aria-expanded': boolean;
  readonly 'aria-haspopup': 'dialog' | 'menu';
}

interface PopoverProps {
  /** Spread what it is given on a button. */
  readonly opener: (props: OpenerProps) => ReactNode;
  readonly label: string;
  readonly align?: 'start' | 'end';
  readonly role?: 'dialog' | 'menu';
  readonly className?: string | undefined;
  /** Called with what closes it. Only there while it is open. */
  readonly children: (close: () => void) => ReactNode;
}

/** Something that opens beside a button and closes by Escape or a click elsewhere: the browser's own popover. */
export function Popover({
  opener,
  label,
  align = 'start',
  role = 'dialog',
  className,
  children,
}: PopoverProps) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const opened = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const place = () => {
    if (anchor.current !== null && opened.current !== null) putBeside(anchor.current, opened.current, align);
  };
  const close = () => opened.current?.hidePopover();
  return (
    <>
      <span ref={anchor} className={styles.anchor}>
        {opener({ popoverTarget: id, 'aria-expanded': isOpen, 'aria-haspopup': role })}
      </span>
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: a dialog and a menu both have a name */}
      <div
        ref={opened}
        id={id}
        popover="auto"
        role={role}
        aria-label={label}
        className={classes(styles.popover, className)}
        onToggle={(event) => {
          setIsOpen(event.newState === 'open');
          if (event.newState === 'open') requestAnimationFrame(place);
        }}
      >
        {isOpen && children(close)}
      </div>
    </>
  );
}
