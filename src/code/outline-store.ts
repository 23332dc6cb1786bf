import type { Digest } from '../base/index.ts';
import type { EvalOutline } from './code-graph.ts';
import type { ModuleOutline } from './module-outline.ts';

/** Outlines by the digest of their text: a file that did not change is not parsed again. */
export interface OutlineStore {
  outline(key: Digest): ModuleOutline | undefined;
  keepOutline(key: Digest, outline: ModuleOutline): void;
  evals(key: Digest): WrittenEvals | undefined;
  keepEvals(key: Digest, evals: WrittenEvals): void;
}

/** `isWritten`: whether the module writes its evals out, so that their parts are known. */
export interface WrittenEvals {
  readonly isWritten: boolean;
  readonly evals: readonly EvalOutline[];
}

export function memoryOutlines(): OutlineStore {
  const outlines = new Map<Digest, ModuleOutline>();
  const evals = new Map<Digest, WrittenEvals>();
  return {
    outline: (key) => outlines.get(key),
    keepOutline: (key, outline) => void outlines.set(key, outline),
    evals: (key) => evals.get(key),
    keepEvals: (key, written) => void evals.set(key, written),
  };
}
