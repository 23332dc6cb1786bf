import { Link, useLocation } from '@tanstack/react-router';
import { useAsk } from '../data/use-ask.ts';
import { Kbd } from '../ui/kbd.tsx';
import { CopyLastingLink } from './copy-lasting-link.tsx';
import { placeName } from './place-name.ts';
import { ThemeSwitch } from './theme-switch.tsx';
import styles from './top-bar.module.css';
import { useShownPages } from './use-shown-pages.ts';

export function TopBar({ onPalette }: { readonly onPalette: () => void }) {
  const pages = useShownPages();
  const isMatrix = useLocation({ select: ({ pathname }) => pathname === '/matrix' });
  return (
    <header className={styles.bar}>
      <Link to="/runs" className={styles.mark}>
        <img src={`${import.meta.env.BASE_URL}mark.svg`} alt="" width={18} height={18} />
        Holdfast
      </Link>
      <StoreName />
      <nav className={styles.pages} aria-label="Pages">
        {pages.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            className={styles.page}
            // The matrix has no tab of its own: it is a comparison of more runs.
            {...(isMatrix && to === '/compare' && { 'aria-current': 'page' })}
          >
            {label}
          </Link>
        ))}
      </nav>
      <div className={styles.rest}>
        <button type="button" className={styles.palette} onClick={onPalette}>
          Go to … <Kbd keys="mod+k" isQuiet />
        </button>
        <ThemeSwitch />
      </div>
    </header>
  );
}

/** What is looked at: the first place by its last part, and the commit of the results. */
function StoreName() {
  const { data } = useAsk('about', {}, {});
  if (data === undefined) return null;
  const [first] = data.places;
  const shown = (
    <>
      {data.isExport && 'Export of '}
      {first === undefined ? 'no place' : placeName(first)}
      {data.commit !== undefined && <code className={styles.commit}>@{data.commit.slice(0, 7)}</code>}
    </>
  );
  if (data.isExport)
    return (
      <span className={styles.store} title={data.places.join('\n')}>
        {shown}
      </span>
    );
  return (
    <>
      <Link to="/store" className={styles.store} title={data.places.join('\n')}>
        {shown}
      </Link>
      <CopyLastingLink about={data} />
    </>
  );
}
