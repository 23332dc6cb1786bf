import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { asValue } from '../../../src/views/index.ts';
import { useAsk } from '../data/use-ask.ts';
import { counted } from '../ui/counted.ts';
import { formatScore, formatTime } from '../ui/format.ts';
import { hasWords } from './has-words.ts';
import { THEMES, useTheme } from './theme.ts';
import { useShownPages } from './use-shown-pages.ts';

export interface PaletteItem {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly about?: string | undefined;
  readonly keys?: string;
  readonly run: () => void;
}

const RUNS = 8;
const EVALS = 6;
const THEME_NAMES = { light: 'Light', dark: 'Dark', system: 'System' } as const;

/** What the palette offers for a few letters. */
export function usePaletteItems(text: string, onKeys: () => void): readonly PaletteItem[] {
  const fixed = useFixedItems(onKeys).filter(({ kind, label }) => hasWords(`${kind} ${label}`, text));
  const evals = useEvalItems(text);
  const runs = useRunItems(text);
  return [...fixed, ...evals, ...runs];
}

function useFixedItems(onKeys: () => void): readonly PaletteItem[] {
  const navigate = useNavigate();
  const [theme, setTheme] = useTheme();
  const pages = useShownPages();
  return [
    ...pages.map(({ to, label, keys }) => ({
      id: to,
      kind: 'Page',
      label,
      keys,
      run: () => void navigate({ to }),
    })),
    {
      id: '/matrix',
      kind: 'Page',
      label: 'Matrix of samples and runs',
      run: () => void navigate({ to: '/matrix' }),
    },
    ...THEMES.map((name) => ({
      id: `theme ${name}`,
      kind: 'Theme',
      label: THEME_NAMES[name],
      about: name === theme ? 'now' : undefined,
      run: () => setTheme(name),
    })),
    { id: 'keys', kind: 'Help', label: 'Keys', keys: '?', run: onKeys },
  ];
}

function useEvalItems(text: string): readonly PaletteItem[] {
  const navigate = useNavigate();
  const { data } = useAsk('evals', {}, {});
  const found = (data?.evals ?? []).filter((item) => hasWords(`eval ${item.eval}`, text));
  return found.slice(0, EVALS).map((item) => ({
    id: `eval ${item.eval}`,
    kind: 'Eval',
    label: item.eval,
    about: counted(item.runs, 'run'),
    run: () => void navigate({ to: '/evals/$eval', params: { eval: item.eval } }),
  }));
}

/** The newest runs that have the words; the server looks for them, since it knows them all. */
function useRunItems(text: string): readonly PaletteItem[] {
  const navigate = useNavigate();
  const words = useDeferredValue(text.trim());
  const q = words.split(/\s+/).filter(Boolean).map(asValue).join(' ');
  const { data } = useAsk('runs', {}, { q, limit: RUNS }, { isKept: true });
  return (data?.runs ?? []).map(({ run, name, facts }) => ({
    id: run,
    kind: 'Run',
    label: facts === undefined ? name : `${facts.eval} · ${facts.target}`,
    about:
      facts === undefined ? 'damaged' : `${formatScore(facts.scores[0]?.value)} · ${formatTime(facts.start)}`,
    run: () => void navigate({ to: '/runs/$run/{-$tab}', params: { run } }),
  }));
}
