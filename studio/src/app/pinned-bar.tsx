import { useRouterState } from '@tanstack/react-router';
import type { About } from '../../../src/server/api.ts';
import { useData } from '../data/data-context.tsx';
import { useAsk } from '../data/use-ask.ts';
import { formatMoment } from '../ui/format.ts';
import { addressAt } from './pinned-address.ts';
import styles from './pinned-bar.module.css';

/** Says that the results are shown as they were, and whether newer ones exist. */
export function PinnedBar() {
  const { pin } = useData();
  const { data, error } = useAsk('about', {}, {});
  if (pin === undefined) return null;
  return (
    <div className={styles.bar} role="status">
      <span>
        Results as of <code>{(data?.pinned?.commit ?? pin).slice(0, 7)}</code>
        {data?.pinned?.whenMs !== undefined && ` · ${formatMoment(data.pinned.whenMs)}`}
      </span>
      {error !== null && <span>{error.message}</span>}
      <WhatIsNewer pinned={data?.pinned} isUnread={error !== null} />
    </div>
  );
}

interface WhatIsNewerProps {
  readonly pinned: About['pinned'];
  readonly isUnread: boolean;
}

function WhatIsNewer({ pinned, isUnread }: WhatIsNewerProps) {
  const here = useRouterState({ select: ({ location: { publicHref } }) => publicHref });
  if (pinned?.isNewest === true) return <span>These are the newest.</span>;
  if (pinned === undefined && !isUnread) return null;
  return (
    <span>
      {pinned === undefined ? 'The newest results: ' : 'Newer results exist: '}
      {/* Not a link of the router: what was answered of the commit is forgotten with the page. */}
      <a href={addressAt(new URL(here, location.origin), undefined)}>show them</a>
    </span>
  );
}
