import type { ReactNode } from 'react';
import styles from './asked.module.css';
import { Problem } from './problem.tsx';
import { SkeletonRows } from './skeleton.tsx';

interface Query<Answer> {
  readonly data: Answer | undefined;
  readonly error: unknown;
  readonly isError: boolean;
  readonly isPlaceholderData: boolean;
  readonly refetch: () => unknown;
}

interface AskedProps<Answer> {
  readonly query: Query<Answer>;
  /** What cannot be shown when it fails: "The comparison". */
  readonly what: string;
  /** While it is waited for; rows unless something else is given. */
  readonly waiting?: ReactNode;
  readonly children: (answer: Answer) => ReactNode;
}

/** What was asked, in each of its states: waited for, failed, there, and there from before while it is asked again. */
export function Asked<Answer>({ query, what, waiting, children }: AskedProps<Answer>) {
  const { data, error, isError, isPlaceholderData, refetch } = query;
  if (data === undefined)
    return isError ? (
      <Problem error={error} what={what} onRetry={() => void refetch()} />
    ) : (
      (waiting ?? <SkeletonRows>{`Waiting for ${what.toLowerCase()} …`}</SkeletonRows>)
    );
  return (
    <>
      {isError && <Problem error={error} what={`The newest state of ${what.toLowerCase()}`} />}
      <div className={isPlaceholderData ? styles.old : styles.here} aria-busy={isPlaceholderData}>
        {children(data)}
      </div>
    </>
  );
}
