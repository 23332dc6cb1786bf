export {
  type NodeChild,
  type NodeChildOptions,
  type ParentLink,
  parentLink,
  startNodeChild,
} from './node-child.ts';
export { endWhenOrphaned } from './orphan-watch.ts';
export { type ProcessText, readLines, readProcessText, readTail } from './process-output.ts';
export { quoteWord } from './quote-word.ts';
export { exitCodeOf, runProcess } from './run-process.ts';
export { startBackground } from './start-background.ts';
export type { ProcessEnd, ProcessEnv } from './start-process.ts';
export { endStarted } from './started-trees.ts';
export { type StreamedProcess, streamProcess } from './stream-process.ts';
