import { definedOf, isJsonObject, type JsonObject } from '../base/index.ts';
import type { LogHeader } from './schema.ts';

/** Which code a run was of, as its log says. */
export interface LoggedCode {
  readonly commit: string;
  readonly branch?: string;
  /** Files that it loaded differed from the commit. */
  readonly isDirty: boolean;
}

/** The revision as Inspect has it. Where the code comes from is an address that may be private: it is left empty. */
export function revisionIn({ commit, isDirty }: LoggedCode): JsonObject {
  return { type: 'git', origin: '', commit, dirty: isDirty };
}

/** Inspect knows no branch of a revision, and would drop it: it stands in our own metadata. Undefined when the log does not say. */
export function loggedCode({ revision, metadata }: LogHeader['eval']): LoggedCode | undefined {
  if (typeof revision?.commit !== 'string') return undefined;
  const ours = metadata?.holdfast;
  const given = isJsonObject(ours) ? ours.branch : undefined;
  const branch = typeof given === 'string' ? given : undefined;
  return { commit: revision.commit, ...definedOf({ branch }), isDirty: revision.dirty === true };
}
