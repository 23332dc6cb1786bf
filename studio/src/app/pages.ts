/** The pages that the bar leads to, and the keys that do. */
export const PAGES = [
  { to: '/runs', label: 'Runs', keys: 'g r' },
  { to: '/evals', label: 'Evals', keys: 'g e' },
  { to: '/compare', label: 'Compare', keys: 'g c' },
  { to: '/search', label: 'Search', keys: 'g s' },
  { to: '/review', label: 'Review', keys: 'g v' },
  { to: '/shared', label: 'Shared', keys: 'g h' },
  { to: '/artifacts', label: 'Artifacts', keys: 'g a' },
  { to: '/store', label: 'Store', keys: 'g t' },
] as const;
