/** How keys are written in code: `j`, `J`, `?`, `space`, `Enter`, `mod+k`, and one after another: `g r`. */

export interface KeyPressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

const NAMES: Readonly<Record<string, string>> = {
  mod: isMac ? '⌘' : 'Ctrl',
  shift: '⇧',
  space: 'Space',
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

/** What is printed for it. */
export function keyNames(spec: string): readonly string[] {
  return spec.split(' ').map((step) =>
    step
      .split(/(?<=.)\+/)
      .map((part) => nameOf(part))
      .join(isMac ? '' : '+'),
  );
}

function nameOf(part: string): string {
  if (/^[A-Z]$/.test(part)) return `⇧${part}`;
  return NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part);
}

/** Whether the key that was pressed is this step. Alt belongs to the system; Ctrl and ⌘ to the browser unless `mod` is named. */
export function isStep(step: string, pressed: KeyPressed): boolean {
  const parts = step.split(/(?<=.)\+/);
  const key = parts.at(-1) ?? '';
  const isMod = parts.includes('mod');
  if (pressed.altKey || isMod !== (pressed.ctrlKey || pressed.metaKey)) return false;
  if (parts.includes('shift') && !pressed.shiftKey) return false;
  // A shifted letter is another key, and a named one (Enter, arrows) counts only as it is written.
  if (key.length > 1 && !parts.includes('shift') && pressed.shiftKey) return false;
  return pressed.key === (key === 'space' ? ' ' : key);
}

/** Of the keys pressed so far: `whole` when they are the spec, `begun` when more may follow. */
export function matchKeys(spec: string, pressed: readonly KeyPressed[]): 'whole' | 'begun' | 'no' {
  const steps = spec.split(' ');
  if (pressed.length > steps.length) return 'no';
  if (!pressed.every((one, index) => isStep(steps[index] ?? '', one))) return 'no';
  return pressed.length === steps.length ? 'whole' : 'begun';
}
