/** What the generated store is about: evals that look like those of real teams. */
export interface SimulatedEval {
  readonly name: string;
  readonly samples: number;
  readonly epochs: number;
  readonly kind: 'coding' | 'facts' | 'rubric' | 'maths';
  /** Of a sample of middling difficulty. */
  readonly skill: number;
  readonly usdPerTurn: number;
}

export const EVALS: readonly SimulatedEval[] = [
  { name: 'swe-lite', samples: 40, epochs: 2, kind: 'coding', skill: 0.66, usdPerTurn: 0.011 },
  { name: 'support-triage', samples: 30, epochs: 1, kind: 'rubric', skill: 0.74, usdPerTurn: 0.004 },
  { name: 'word-problems', samples: 24, epochs: 3, kind: 'maths', skill: 0.81, usdPerTurn: 0.002 },
  { name: 'capitals', samples: 20, epochs: 1, kind: 'facts', skill: 0.93, usdPerTurn: 0.0004 },
];

export interface SimulatedTarget {
  readonly name: string;
  readonly skill: number;
  readonly usd: number;
}

export const TARGETS: readonly SimulatedTarget[] = [
  { name: 'anthropic/claude-opus-5', skill: 0.12, usd: 2.4 },
  { name: 'anthropic/claude-sonnet-5', skill: 0.02, usd: 1 },
  { name: 'openai/gpt-6-mini', skill: -0.1, usd: 0.3 },
];

const PROJECTS = ['django', 'flask', 'requests', 'sympy', 'astropy', 'pytest', 'sphinx', 'xarray'];
const CITIES = [
  ['France', 'Paris'],
  ['Australia', 'Canberra'],
  ['Kazakhstan', 'Astana'],
  ['Brazil', 'Brasília'],
  ['Côte d’Ivoire', 'Yamoussoukro'],
  ['Myanmar', 'Naypyidaw'],
  ['Canada', 'Ottawa'],
  ['日本', '東京'],
];

export interface SimulatedRow {
  readonly id: string | number;
  readonly input: string;
  readonly target: string;
  readonly metadata: Readonly<Record<string, string | number>>;
}

/** The rows of an eval are the same in every run. */
export function rowOf({ kind }: SimulatedEval, n: number): SimulatedRow {
  if (kind === 'coding') {
    const project = PROJECTS[n % PROJECTS.length] ?? 'django';
    const issue = 4_000 + n * 137;
    return {
      id: `${project}-${issue}`,
      input: `Issue #${issue} in **${project}**: \`${project}.core.validate()\` raises \`TypeError\` when the second argument is left out.\n\nFix it so that the failing tests pass. Do not change the tests.`,
      target: 'all tests pass',
      metadata: { project, difficulty: n % 3 === 0 ? 'hard' : 'medium', lines: 40 + ((n * 31) % 400) },
    };
  }
  if (kind === 'facts') {
    const [country = '', capital = ''] = CITIES[n % CITIES.length] ?? [];
    return {
      id: n + 1,
      input: `What is the capital of ${country}?`,
      target: capital,
      metadata: { region: n % 4 },
    };
  }
  if (kind === 'maths')
    return {
      id: `w${String(n + 1).padStart(3, '0')}`,
      input: `A tank holds $V(t) = ${n + 3}t^2 - ${n + 1}t$ litres after $t$ minutes. How fast does it fill after ${n + 2} minutes?`,
      target: String(2 * (n + 3) * (n + 2) - (n + 1)),
      metadata: { topic: n % 2 === 0 ? 'derivatives' : 'rates' },
    };
  return {
    id: `ticket/${n + 1}`,
    input: `A customer writes: "I was charged twice for order ${1_000 + n * 7}, and nobody answers. Refund me <b>now</b>."\n\nDraft the reply and choose a queue.`,
    target: n % 2 === 0 ? 'billing' : 'billing, urgent',
    metadata: { language: n % 5 === 0 ? 'de' : 'en', channel: n % 3 === 0 ? 'chat' : 'mail' },
  };
}
