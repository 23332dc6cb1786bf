import type { SamplesPage } from '../../../../src/server/api.ts';
import { hasTerm, termsOf, toggleTerm, withoutTerm } from '../../ui/query-terms.ts';

export interface Preset {
  readonly term: string;
  readonly label: string;
  readonly about: string;
  readonly hotkey?: string;
}

export const FAILING: Preset = {
  term: 'is:failing',
  label: 'Failing',
  about: 'Samples that failed at any epoch',
  hotkey: 'f',
};

const ERRORS: Preset = { term: 'is:error', label: 'Errors', about: 'Samples that ended with an error' };
const FLAKY: Preset = { term: 'is:flaky', label: 'Flaky', about: 'Samples whose epochs disagree' };
const LIMITS: Preset = { term: 'is:limit', label: 'Limits', about: 'Samples that hit a limit' };

const PRESETS: readonly Preset[] = [FAILING, ERRORS, FLAKY, LIMITS];

/** Those that can leave anything: with one epoch nothing disagrees. */
export function presetsFor(epochs: number): readonly Preset[] {
  return epochs > 1 ? PRESETS : PRESETS.filter((preset) => preset !== FLAKY);
}

/** The filter with this preset and no other, or without it when it was on. */
export function togglePreset(q: string, { term }: Preset): string {
  const others = PRESETS.filter((preset) => preset.term !== term);
  return toggleTerm(
    others.reduce((rest, other) => withoutTerm(rest, other.term), q),
    term,
  );
}

/** How many samples the preset leaves; undefined where the filter says more than presets do: then nobody knows before. */
export function presetCount(
  { states }: Pick<SamplesPage, 'states'>,
  q: string,
  { term }: Preset,
): number | undefined {
  const isMore = termsOf(q).some((one) => !PRESETS.some((preset) => preset.term === one));
  return isMore ? undefined : states?.[term.replace(/^is:/, '')];
}

export function isPresetOn(q: string, { term }: Preset): boolean {
  return hasTerm(q, term);
}
