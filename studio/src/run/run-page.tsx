// ARCHITECT: the Run page (studio/src/run) is now being built by somebody else on branch `run-page`. Do NOT begin it; finish the Sample page (all tabs, find, keys, live, notes, speed, looks) and merge main often: the real server is there (holdfast studio).
import { PageFrame } from '../app/page-frame.tsx';
import { Empty } from '../ui/empty.tsx';

export function Page() {
  return (
    <PageFrame title="Run">
      <Empty title="This page is not here yet" />
    </PageFrame>
  );
}
