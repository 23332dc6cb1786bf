import { type ReactNode, useEffect, useRef } from 'react';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import styles from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  readonly isTitleHidden?: boolean;
  readonly onClose: () => void;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/**
 * A window over the page: open as long as it is rendered. Escape and a click beside it close it. What has `data-focus` gets the focus.
 */
export function Dialog({ title, isTitleHidden = false, onClose, className, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // The browser would take the first control there is, which is the one that closes.
    shown?.querySelector<HTMLElement>('[data-focus]')?.focus();
    return () => shown?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={dialog}
      aria-label={title}
      className={classes(styles.dialog, className)}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className={styles.inside}>
        {!isTitleHidden && (
          <header className={styles.head}>
            <h2>{title}</h2>
            <IconButton icon="close" label="Close" onClick={onClose} />
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
