/** How events look: the role whose band they have, what they are called, and how high they probably are when unfolded. */
export type Role = 'user' | 'assistant' | 'thinking' | 'tool' | 'system';

interface KindLook {
  readonly role: Role;
  readonly word: string;
  readonly openHeight: number;
  /** Unfolded in short transcripts. */
  readonly isOpen: boolean;
}

const LOOKS: Readonly<Record<string, KindLook>> = {
  model: { role: 'assistant', word: 'assistant', openHeight: 190, isOpen: true },
  tool: { role: 'tool', word: 'tool', openHeight: 170, isOpen: true },
  user: { role: 'user', word: 'user', openHeight: 90, isOpen: true },
  input: { role: 'user', word: 'input', openHeight: 80, isOpen: true },
  error: { role: 'system', word: 'error', openHeight: 120, isOpen: true },
  score: { role: 'system', word: 'score', openHeight: 110, isOpen: true },
  score_edit: { role: 'system', word: 'score edit', openHeight: 90, isOpen: true },
  info: { role: 'system', word: 'info', openHeight: 90, isOpen: true },
  logger: { role: 'system', word: 'log', openHeight: 60, isOpen: false },
  sample_init: { role: 'user', word: 'sample', openHeight: 160, isOpen: true },
  sample_limit: { role: 'system', word: 'limit', openHeight: 60, isOpen: true },
  span_begin: { role: 'system', word: 'span', openHeight: 60, isOpen: false },
  span_end: { role: 'system', word: 'span ends', openHeight: 60, isOpen: false },
  state: { role: 'system', word: 'state', openHeight: 120, isOpen: false },
  store: { role: 'system', word: 'store', openHeight: 120, isOpen: false },
  sandbox: { role: 'tool', word: 'sandbox', openHeight: 120, isOpen: false },
  approval: { role: 'system', word: 'approval', openHeight: 90, isOpen: true },
  compaction: { role: 'system', word: 'compaction', openHeight: 60, isOpen: true },
  interrupt: { role: 'system', word: 'interrupt', openHeight: 60, isOpen: true },
  subtask: { role: 'tool', word: 'subtask', openHeight: 120, isOpen: false },
};

export function lookOf(kind: string): KindLook {
  const known = Object.hasOwn(LOOKS, kind) ? LOOKS[kind] : undefined;
  return known ?? { role: 'system', word: kind.replaceAll('_', ' '), openHeight: 110, isOpen: false };
}

/** Folded rows are all as high. */
export const FOLDED_HEIGHT = 28;
/** The line that names a gap. */
export const GAP_HEIGHT = 28;
/** Longer transcripts begin folded. */
export const OPEN_EVENTS_MAX = 2_000;
