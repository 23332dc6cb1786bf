import { useNavigate, useParams } from '@tanstack/react-router';
import { useStepKeys } from '../ui/step-keys.ts';
import { type Key, useKeys } from '../ui/use-keys.ts';
import { hasScoresBeside, hasTexts, SAMPLE_TABS } from './sample-search.ts';
import { useSampleSearch } from './use-sample-search.ts';

interface SampleActions {
  readonly tab: (typeof SAMPLE_TABS)[number];
  readonly onStep: (by: 1 | -1, isFailing?: boolean) => void;
  readonly onTab: (tab: (typeof SAMPLE_TABS)[number]) => void;
  readonly onRaw: () => void;
  readonly onOutline: () => void;
  readonly onScores: () => void;
  readonly onWrite: () => void;
}

/** Keys that hold on every tab of a sample. */
export function useSampleKeys(actions: SampleActions): void {
  const navigate = useNavigate();
  const { run } = useParams({ from: '/runs/$run/s/$sample/$epoch' });
  const { search } = useSampleSearch();
  const { q, sort, score } = search;
  const { tab } = actions;
  const step = useStepKeys('samples');
  const up = () =>
    void navigate({
      to: '/runs/$run/{-$tab}',
      params: { run, tab: undefined },
      search: { q, sort, score, cols: '' },
    });
  const keys: readonly Key[] = [
    { keys: step.next, what: 'Next sample', run: () => actions.onStep(1) },
    { keys: step.previous, what: 'Previous sample', run: () => actions.onStep(-1) },
    { keys: 'J', what: 'Next failing sample', run: () => actions.onStep(1, true) },
    { keys: 'K', what: 'Previous failing sample', run: () => actions.onStep(-1, true) },
    { keys: 'u', what: 'Up to the list', run: up },
    { keys: 'o', what: 'Outline', run: actions.onOutline, isOff: tab !== 'transcript' },
    { keys: 'i', what: 'Scores', run: actions.onScores, isOff: !hasScoresBeside(tab) },
    { keys: 'r', what: 'Plain text, or rendered', run: actions.onRaw, isOff: !hasTexts(tab) },
    { keys: 'm', what: 'Write a note', run: actions.onWrite },
    ...SAMPLE_TABS.map((name, at) => ({
      keys: String(at + 1),
      what: `Tab ${name}`,
      run: () => actions.onTab(name),
    })),
  ];
  useKeys('Sample', keys);
}
