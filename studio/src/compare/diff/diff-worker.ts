/** Compares two texts beside the page, which goes on meanwhile. */
import { type DiffOptions, diffTexts, type TextDiff } from './diff-texts.ts';

export interface DiffAsked {
  readonly a: string;
  readonly b: string;
  readonly deadlineMs: DiffOptions['deadlineMs'];
}
export type DiffTold = TextDiff;

addEventListener('message', ({ data }: MessageEvent<DiffAsked>) => {
  const told: DiffTold = diffTexts(data.a, data.b, {
    deadlineMs: data.deadlineMs,
    nowMs: () => performance.now(),
  });
  postMessage(told);
});
