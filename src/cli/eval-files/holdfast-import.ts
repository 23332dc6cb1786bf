import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { packageCode } from '../../base/index.ts';
import { ModuleWatch } from '../../code/index.ts';

/**
 * Eval files import `holdfast`. It is always the package that is running, so an eval works in any folder, installed or
 * not, and its scorers are the very ones that the runner knows.
 *
 * Eval files are modules, whatever the nearest package.json says: `npm init` writes "type": "commonjs" there.
 */
export function provideHoldfast(): void {
  if (isProvided) return;
  isProvided = true;
  const { dir, index } = packageCode();
  const own = pathToFileURL(index).href;
  const ownRoot = `${pathToFileURL(dir).href}/`;
  registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === 'holdfast') return { url: own, shortCircuit: true };
      const resolved = next(specifier, context);
      // What Holdfast loads for itself is nobody's code.
      if (!context.parentURL?.startsWith(ownRoot))
        moduleWatch.noteResolved(context.parentURL, specifier, resolved.url);
      return isUsersModule(resolved.url) ? { ...resolved, format: formatOf(resolved.url) } : resolved;
    },
    load: (url, context, next) => {
      lastLoaded = url;
      const loaded = next(url, context);
      moduleWatch.noteLoaded(url, loaded.source);
      return loaded;
    },
  });
}

/** The module that was being read when an import failed: a syntax error in plain JavaScript does not say where it is. */
export function lastLoadedModule(): string | undefined {
  return lastLoaded;
}

/** All TypeScript of the user, and eval files and settings in JavaScript; other JavaScript may well be CommonJS. */
function isUsersModule(url: string): boolean {
  return (
    url.startsWith('file:') &&
    !url.includes('/node_modules/') &&
    /(?:\.ts|\.eval\.js|\/holdfast\.config\.js)$/.test(url)
  );
}

function formatOf(url: string): string {
  return url.endsWith('.ts') ? 'module-typescript' : 'module';
}

/** What the loader has seen since Holdfast was provided. */
export const moduleWatch = new ModuleWatch();

let isProvided = false;
let lastLoaded: string | undefined;
