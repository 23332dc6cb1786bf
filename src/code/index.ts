export { type EvalCode, readEvalCode } from './eval-code.ts';
export { ModuleWatch } from './module-watch.ts';
export { openOutlineFile } from './outline-file.ts';
export { memoryOutlines, type OutlineStore } from './outline-store.ts';
