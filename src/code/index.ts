export { CodeGraph } from './code-graph.ts';
export { type CodeSlice, sliceCode } from './code-slice.ts';
export { ModuleWatch } from './module-watch.ts';
export { memoryOutlines, type OutlineStore } from './outline-store.ts';
