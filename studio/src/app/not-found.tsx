import { Link } from '@tanstack/react-router';
import { Empty } from '../ui/empty.tsx';
import { PageFrame } from './page-frame.tsx';

export function NotFound() {
  return (
    <PageFrame title="Not found">
      <Empty title="There is no page at this address">
        <p>
          The address may have been cut when it was copied. <Link to="/runs">All runs</Link> are here.
        </p>
      </Empty>
    </PageFrame>
  );
}
