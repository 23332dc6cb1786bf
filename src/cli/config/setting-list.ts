import type { Json } from '../../base/index.ts';

/** What the command line knows of a setting; what it may be is in the schema of the room `config`. */
export interface SettingSpec {
  /** `place`: a path that starts where the file of settings is, or a URL; `places`: a list of them. `other`: no text can stand for it. */
  readonly kind: 'text' | 'place' | 'places' | 'number' | 'truth' | 'other';
  /** The option of the same meaning, by the name that commander gives it, and what it takes for a value. */
  readonly option?: string;
  readonly toOption?: 'milliseconds' | 'is auto';
  /** What the command line says adds to the setting, instead of taking its place. */
  readonly adds?: true;
  readonly standard?: Json;
  /** Another setting that stands in for it. */
  readonly or?: SettingKey;
}

export type SettingKey = keyof typeof LIST;

const LIST = {
  logDir: { kind: 'place', option: 'logDir', standard: 'logs' },
  bucket: { kind: 'place', option: 'bucket' },
  segments: { kind: 'place', option: 'segments', or: 'bucket' },
  queue: { kind: 'text', option: 'queue' },
  concurrency: { kind: 'number', option: 'concurrency' },
  budget: { kind: 'number', option: 'budget' },
  limits: { kind: 'other' },
  allowUnpriced: { kind: 'truth', option: 'allowUnpriced' },
  prices: { kind: 'other' },
  baseUrl: { kind: 'text', option: 'baseUrl' },
  attempts: { kind: 'number', option: 'attempts' },
  grace: { kind: 'text', option: 'grace', toOption: 'milliseconds', standard: '30s' },
  // What must not be kept must not be kept, whoever says so.
  redact: { kind: 'other', option: 'redact', adds: true },
  'artifacts.cache': { kind: 'place', option: 'cache' },
  'artifacts.store': { kind: 'place', option: 'store' },
  'bundle.files': { kind: 'other' },
  'bundle.data': { kind: 'other' },
  'bundle.programs': { kind: 'other' },
  'bundle.image': { kind: 'text' },
  'results.repo': { kind: 'place', option: 'repo' },
  'results.branch': { kind: 'text', option: 'branch', standard: 'holdfast/results' },
  'results.remote': { kind: 'text', option: 'remote' },
  'results.publish': { kind: 'text', option: 'publish', toOption: 'is auto', standard: 'auto' },
  // The --no-push of `results sync` is about one time.
  'results.push': { kind: 'text', standard: 'manual' },
  'results.bodies': { kind: 'text', option: 'bodies' },
  'results.bodyLimit': { kind: 'text', option: 'bodyLimit' },
  'results.sources': { kind: 'places', option: 'source', adds: true },
  launch: { kind: 'other' },
} as const;

export const SETTINGS: Readonly<Record<SettingKey, SettingSpec>> = LIST;

/** `results.repo` → `HOLDFAST_RESULTS_REPO`. */
export function variableOf(key: SettingKey): string {
  return `HOLDFAST_${key
    .replace(/([A-Z])/g, '_$1')
    .replace('.', '_')
    .toUpperCase()}`;
}
