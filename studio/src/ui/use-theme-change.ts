import { useSyncExternalStore } from 'react';

/** The theme that is shown now, for what is painted and not styled. */
export function useThemeChange(): string {
  return useSyncExternalStore(watch, () => document.documentElement.dataset.theme ?? 'light');
}

function watch(watcher: () => void): () => void {
  const changes = new MutationObserver(watcher);
  changes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => changes.disconnect();
}
