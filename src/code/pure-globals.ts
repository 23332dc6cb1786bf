/** What of the language, and of Node, gives a value and does nothing else. A short list: what is missing costs a run of code. */

const VALUES = new Set(['undefined', 'NaN', 'Infinity', 'process', 'Math', 'Number']);

const CONSTRUCTORS = new Set([
  ...[
    'Map',
    'Set',
    'WeakMap',
    'WeakSet',
    'Date',
    'RegExp',
    'URL',
    'URLSearchParams',
    'Array',
    'Error',
    'TypeError',
  ],
  ...['RangeError', 'TextEncoder', 'TextDecoder', 'AbortController', 'Uint8Array'],
]);

const FUNCTIONS = new Set([
  ...[
    'String',
    'Number',
    'Boolean',
    'BigInt',
    'Symbol',
    'parseInt',
    'parseFloat',
    'Array.from',
    'Array.of',
    'Array.isArray',
  ],
  ...[
    'Object.freeze',
    'Object.keys',
    'Object.values',
    'Object.entries',
    'Object.fromEntries',
    'Object.hasOwn',
  ],
  ...[
    'JSON.stringify',
    'JSON.parse',
    'Math.max',
    'Math.min',
    'Math.round',
    'Math.floor',
    'Math.ceil',
    'Math.abs',
  ],
  ...['Math.pow', 'Math.sqrt', 'Math.log', 'Math.log2', 'Math.log10', 'Number.parseInt', 'Number.parseFloat'],
  ...['Symbol.for', 'process.cwd', 'Date.now', 'encodeURIComponent', 'decodeURIComponent'],
]);

/** Of texts and lists. None of them changes its list. */
const METHODS = new Set([
  ...[
    'map',
    'filter',
    'flatMap',
    'flat',
    'concat',
    'slice',
    'join',
    'includes',
    'indexOf',
    'find',
    'findIndex',
    'some',
    'every',
  ],
  ...[
    'reduce',
    'toSorted',
    'toReversed',
    'at',
    'entries',
    'keys',
    'values',
    'split',
    'trim',
    'trimStart',
    'trimEnd',
    'repeat',
  ],
  ...[
    'toUpperCase',
    'toLowerCase',
    'padStart',
    'padEnd',
    'startsWith',
    'endsWith',
    'replace',
    'replaceAll',
    'substring',
  ],
]);

/** They call what they are given. */
const CALLERS = new Set([
  ...[
    'Array.from',
    'JSON.stringify',
    'JSON.parse',
    '.map',
    '.filter',
    '.flatMap',
    '.find',
    '.findIndex',
    '.some',
    '.every',
  ],
  ...['.reduce', '.toSorted', '.replace', '.replaceAll'],
]);

/** What they give may be anything: an item, or no list. */
const GIVE_ANYTHING = new Set(['.find', '.at', '.reduce', '.entries', '.keys', '.values']);
const GIVE_TEXTS_OR_LISTS = new Set([
  ...['String', 'Array.from', 'Array.of', 'Object.keys', 'Object.values', 'Object.entries', 'JSON.stringify'],
]);

/** Functions of Node by the module that they come from; undefined for all of them. */
const NODE: Readonly<Record<string, ReadonlySet<string> | undefined>> = {
  path: undefined,
  'path/posix': undefined,
  url: undefined,
  os: undefined,
  fs: new Set(['readFileSync', 'existsSync', 'readdirSync', 'statSync', 'realpathSync']),
};

export function isPlainGlobal(name: string): boolean {
  return VALUES.has(name);
}

export function isPureConstructor(name: string): boolean {
  return CONSTRUCTORS.has(name);
}

export function isPureFunction(name: string): boolean {
  return FUNCTIONS.has(name);
}

export function isPureMethod(name: string): boolean {
  return METHODS.has(name);
}

/** `Array.from`, or `.map` of a text or a list. */
export function takesCallback(name: string): boolean {
  return CALLERS.has(name);
}

export function givesTextOrList(name: string): boolean {
  return name.startsWith('.') ? !GIVE_ANYTHING.has(name) : GIVE_TEXTS_OR_LISTS.has(name);
}

/** `name` may be `default.join`, or `*.join`, of the module as a whole. */
export function isPureOfNode(module: string, name: string): boolean {
  const plain = module.replace(/^node:/, '');
  if (!Object.hasOwn(NODE, plain)) return false;
  const names = NODE[plain];
  return names === undefined || names.has(name.replace(/^(default|\*)\./, ''));
}
