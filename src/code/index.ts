export { type EvalCode, readEvalCode } from './eval-code.ts';
export { ModuleWatch } from './module-watch.ts';
export { type OutlineFile, openOutlineFile } from './outline-file.ts';
export { memoryOutlines, type OutlineStore } from './outline-store.ts';
