import { registerHooks } from 'node:module';

/**
 * Eval files import `holdfast`. It is always the package that is running, so an eval works in any folder, installed or
 * not, and its scorers are the very ones that the runner knows.
 */
export function provideHoldfast(): void {
  if (isProvided) return;
  isProvided = true;
  // In a checkout this file is TypeScript, and so is the index; what is published is JavaScript throughout.
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const own = new URL(`../../index.${ending}`, import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'holdfast' ? { url: own, shortCircuit: true } : next(specifier, context),
    load: (url, context, next) => {
      lastLoaded = url;
      return next(url, context);
    },
  });
}

/** The module that was being read when an import failed: a syntax error in plain JavaScript does not say where it is. */
export function lastLoadedModule(): string | undefined {
  return lastLoaded;
}

let isProvided = false;
let lastLoaded: string | undefined;
