import { type ReactNode, useEffect, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import styles from './copy.module.css';

/** How long it says that something was copied. */
const SAID_MS = 1_500;

export function useCopy(): { readonly isCopied: boolean; readonly copy: (text: string) => void } {
  const [copiedAt, setCopiedAt] = useState(0);
  useEffect(() => {
    if (copiedAt === 0) return;
    const timer = setTimeout(() => setCopiedAt(0), SAID_MS);
    return () => clearTimeout(timer);
  }, [copiedAt]);
  return {
    isCopied: copiedAt > 0,
    copy: (text) => void copyText(text).then(() => setCopiedAt(performance.now())),
  };
}

/** Copies also where the browser has no clipboard for pages: over plain HTTP from another machine, and from a file. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

export function CopyButton({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  const { isCopied, copy } = useCopy();
  return (
    <Button kind="quiet" icon={isCopied ? 'check' : 'copy'} onClick={() => copy(text)}>
      {isCopied ? 'Copied' : children}
    </Button>
  );
}

/** The command that gives the same as the page shows, ready to be copied. */
export function CopyCommand({
  command,
  label = 'The same rows:',
}: {
  readonly command: string;
  readonly label?: string;
}) {
  const { isCopied, copy } = useCopy();
  return (
    <span className={styles.command}>
      {label !== '' && <span className={styles.label}>{label}</span>}
      <code className={styles.text} title={command}>
        {command}
      </code>
      <IconButton
        icon={isCopied ? 'check' : 'copy'}
        label={isCopied ? 'Copied' : 'Copy the command'}
        onClick={() => copy(command)}
      />
    </span>
  );
}
