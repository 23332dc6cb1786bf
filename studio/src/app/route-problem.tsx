import type { ErrorComponentProps } from '@tanstack/react-router';
import { Problem } from '../ui/problem.tsx';
import { PageFrame } from './page-frame.tsx';

/** A page that could not be shown at all; the bar above it stays. */
export function RouteProblem({ error, reset }: ErrorComponentProps) {
  return (
    <PageFrame title="Problem">
      <Problem error={error} onRetry={reset} what="This page" />
    </PageFrame>
  );
}
