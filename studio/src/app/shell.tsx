import { Outlet } from '@tanstack/react-router';
import { ConnectionBar } from './connection-bar.tsx';
import styles from './shell.module.css';
import { TopBar } from './top-bar.tsx';

/** What is around every page. */
export function Shell() {
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#page">
        To the page
      </a>
      <TopBar />
      <ConnectionBar />
      <main id="page" className={styles.page} tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}
