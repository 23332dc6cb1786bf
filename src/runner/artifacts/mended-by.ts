import { artifactErrors, type Use } from '../../artifacts/index.ts';

/** That something was damaged here is said also when a whole copy takes its place: whoever hears of it looks at the disk, or at who wrote there. */
export function mendedBy(use: Use | undefined, whence: string | undefined): string | undefined {
  if (use?.kind !== 'damaged' || whence === undefined) return undefined;
  return `${artifactErrors.damaged(use.damage).message} A whole copy ${whence}.`;
}
