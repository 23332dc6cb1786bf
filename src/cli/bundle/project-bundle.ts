import { dirname, join, resolve } from 'node:path';
import { isJsonArray, isJsonObject, type Json, systemClock, systemRandom } from '../../base/index.ts';
import { type Bundle, type BundleSettings, deriveBundle } from '../../bundle/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { cacheDirOf } from '../artifacts/artifact-place.ts';
import type { Settings } from '../config/settings.ts';
import type { Terminal } from '../terminal.ts';

/** The bundle of the project that a command is called in. Every command that has to do with bundles gets it here, so all of them mean the same one. */
export async function projectBundle({ cwd, env }: Terminal, settings: Settings): Promise<Bundle> {
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env };
  return deriveBundle({ ...ports, dir: cwd, settings: bundleSettings(settings, cwd) });
}

/** Where the last bundle of a repository is remembered: beside the warm cache, for all its work trees. */
export async function memoryOfBundle({ cwd }: Terminal): Promise<string> {
  return join(dirname(await cacheDirOf({}, cwd)), 'bundle.json');
}

function bundleSettings(settings: Settings, cwd: string): BundleSettings {
  const { file } = settings;
  return {
    files: textsOf(settings.get('bundle.files').value),
    data: textsOf(settings.get('bundle.data').value),
    programs: programsOf(settings.get('bundle.programs').value),
    image: settings.text('bundle.image'),
    from: file === undefined ? cwd : dirname(resolve(cwd, file)),
    logDir: settings.text('logDir'),
  };
}

function textsOf(value: Json | undefined): readonly string[] | undefined {
  return isJsonArray(value) ? value.map(String) : undefined;
}

function programsOf(value: Json | undefined): BundleSettings['programs'] {
  if (!isJsonObject(value)) return textsOf(value);
  return Object.fromEntries(Object.entries(value).map(([name, command]) => [name, String(command)]));
}
