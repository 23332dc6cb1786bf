import { ProblemError } from '../data/problem-error.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import styles from './problem.module.css';

interface ProblemProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  /** What cannot be shown: "These samples". */
  readonly what?: string;
}

/** An error in the place of the part that failed; the rest of the page stays. */
export function Problem({ error, onRetry, what }: ProblemProps) {
  const { code, message, hint } = wordsOf(error);
  const details = `${code}: ${message}\n${hint}\n${location.href}`;
  return (
    <div className={styles.problem} role="alert">
      <p className={styles.message}>
        {what !== undefined && <strong>{what} cannot be shown. </strong>}
        {message}
      </p>
      {hint !== '' && <p className={styles.hint}>{hint}</p>}
      <p className={styles.actions}>
        <code className={styles.code}>{code}</code>
        {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
        <CopyButton text={details}>Copy details</CopyButton>
      </p>
    </div>
  );
}

function wordsOf(error: unknown): { code: string; message: string; hint: string } {
  if (error instanceof ProblemError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'E_STUDIO',
    message,
    hint: 'This is a fault of the Studio. Reload the page; if it stays, report it with these details.',
  };
}
