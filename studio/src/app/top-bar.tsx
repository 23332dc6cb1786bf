import { Link } from '@tanstack/react-router';
import { ThemeSwitch } from './theme-switch.tsx';
import styles from './top-bar.module.css';

const PAGES = [
  { to: '/runs', label: 'Runs' },
  { to: '/evals', label: 'Evals' },
  { to: '/compare', label: 'Compare' },
  { to: '/search', label: 'Search' },
  { to: '/review', label: 'Review' },
  { to: '/store', label: 'Store' },
] as const;

export function TopBar() {
  return (
    <header className={styles.bar}>
      <Link to="/runs" className={styles.mark}>
        <img src="/mark.svg" alt="" width={18} height={18} />
        Holdfast
      </Link>
      <nav className={styles.pages} aria-label="Pages">
        {PAGES.map(({ to, label }) => (
          <Link key={to} to={to} className={styles.page}>
            {label}
          </Link>
        ))}
      </nav>
      <div className={styles.rest}>
        <ThemeSwitch />
      </div>
    </header>
  );
}
