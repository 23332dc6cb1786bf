import { Outlet, useNavigate } from '@tanstack/react-router';
import { lazy, type MouseEvent, Suspense, useState } from 'react';
import { useKeys } from '../ui/use-keys.ts';
import { ConnectionBar } from './connection-bar.tsx';
import { PageName } from './page-name.tsx';
import { PinnedBar } from './pinned-bar.tsx';
import styles from './shell.module.css';
import { TopBar } from './top-bar.tsx';
import { useShownPages } from './use-shown-pages.ts';

const Palette = lazy(() => import('./palette.tsx'));
const KeySheet = lazy(() => import('./key-sheet.tsx'));

/** What is around every page. */
export function Shell() {
  const navigate = useNavigate();
  const [opened, setOpened] = useState<'palette' | 'keys'>();
  const close = () => setOpened(undefined);
  const pages = useShownPages();
  const goTo = pages.map(({ to, label, keys }) => ({ keys, what: label, run: () => void navigate({ to }) }));
  useKeys('Everywhere', [
    {
      keys: 'mod+k',
      what: 'Go to a page, an eval or a run',
      run: () => setOpened('palette'),
      isEverywhere: true,
    },
    { keys: '?', what: 'This list of keys', run: () => setOpened('keys') },
    ...goTo,
  ]);
  return (
    <div className={styles.shell}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place in the page, which an address with routes after "#" cannot */}
      <a className={styles.skip} href="#page" onClick={toPage}>
        To the page
      </a>
      <TopBar onPalette={() => setOpened('palette')} />
      <PinnedBar />
      <ConnectionBar />
      <main id="page" className={styles.page} tabIndex={-1}>
        <Outlet />
      </main>
      <PageName />
      <Suspense>
        {opened === 'palette' && <Palette onClose={close} onKeys={() => setOpened('keys')} />}
        {opened === 'keys' && <KeySheet onClose={close} />}
      </Suspense>
    </div>
  );
}

/** Not by the address: in an export what stands after `#` is the page. */
function toPage(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('page')?.focus();
}
