import { useEffect } from 'react';
import { z } from 'zod';
import { usePersisted } from '../ui/use-persisted.ts';

export const THEMES = ['light', 'dark', 'system'] as const;
export type Theme = (typeof THEMES)[number];

/** The theme that was chosen; `system` follows the system as it changes. The key is known to public/theme.js, too. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = usePersisted('holdfast.theme', z.enum(THEMES), 'system');
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const apply = () => {
      document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
    };
    apply();
    dark.addEventListener('change', apply);
    return () => dark.removeEventListener('change', apply);
  }, [theme]);
  return [theme, setTheme];
}
