import { systemClock } from '../base/index.ts';
import { endStarted, endWhenOrphaned, type ParentLink } from '../process/index.ts';
import { EXIT } from './exit-code.ts';
import { endNow } from './process-end.ts';

/** How long what is under way may take to stop. */
const ORPHAN_MS = 20_000;
/** And how long before it is taken for something that hears nothing. */
const DEAF_MS = 40_000;

/** Code that never ends must not outlive whoever started it with keys in its hands; nor must the programs that it has started. */
export function endWithParent({ gone }: ParentLink): void {
  const end = () => void endStarted().finally(() => endNow(EXIT.interrupted));
  gone.addEventListener('abort', () => systemClock.after(ORPHAN_MS, end), { once: true });
  endWhenOrphaned(DEAF_MS);
}
