import { PageFrame } from '../app/page-frame.tsx';
import { Empty } from '../ui/empty.tsx';

export function Page() {
  return (
    <PageFrame title="Matrix">
      <Empty title="This page is not here yet" />
    </PageFrame>
  );
}
