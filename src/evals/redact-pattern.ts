/** `/…/flags`: how a pattern is written where only texts can be. */
const WRITTEN = /^\/(.+)\/([a-z]*)$/s;

/** What can be looked for; what is wrong with the others is said where the eval is checked. */
export function redactPatterns(given: readonly (string | RegExp)[]): RegExp[] {
  return given.map((word) => readRedactPattern(word)).filter((pattern) => pattern instanceof RegExp);
}

/** What a word of `redact` looks for, or what is wrong with it. A text is looked for as it stands. */
export function readRedactPattern(given: string | RegExp): RegExp | string {
  try {
    const pattern = typeof given === 'string' ? patternOf(given) : given;
    const flags = new Set(pattern.flags.replace('y', '')).add('g');
    const global = new RegExp(pattern.source, [...flags].join(''));
    return ''.search(global) === 0 ? 'finds the empty text, so it would be everywhere' : global;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `is no pattern: ${error.message}`;
  }
}

function patternOf(text: string): RegExp {
  const written = WRITTEN.exec(text);
  if (written?.[1] !== undefined) return new RegExp(written[1], written[2]);
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
}
