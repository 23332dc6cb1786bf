import { join, relative, resolve } from 'node:path';
import {
  definedOf,
  isJsonObject,
  type JsonObject,
  packagePage,
  parseJson,
  UsageError,
} from '../../base/index.ts';
import { nodeDisk, replaceFile } from '../../disk/index.ts';
import type { CommandCall, CommonFlags } from '../command.ts';
import { isRemote } from '../results/repo-name.ts';
import { findConfig } from './find-config.ts';
import { withoutPassword } from './without-password.ts';

/** What a project has to say so that runs find its results. */
export interface ResultsSettings {
  readonly repo?: string;
  readonly branch?: string;
  readonly remote?: string;
}

const NEW_NAME = 'holdfast.config.yaml';

/** Of what was given, what the settings do not say already. A path is written as it is named from the file of settings. */
export async function settingsToSave(
  given: ResultsSettings,
  { settings, terminal }: CommandCall<CommonFlags>,
): Promise<ResultsSettings> {
  const known = await settings();
  const fresh = (key: keyof ResultsSettings) =>
    given[key] === known.text(`results.${key}`) ? undefined : given[key];
  const [repo, branch, remote] = [fresh('repo'), fresh('branch'), fresh('remote')];
  const dir = resolve(terminal.cwd, known.file ?? '.', known.file === undefined ? '.' : '..');
  const named =
    repo === undefined || isRemote(repo) ? repo : relative(dir, resolve(terminal.cwd, repo)) || '.';
  return definedOf({ repo: named, branch, remote });
}

/** As they are written in YAML. */
export function settingLines(wanted: ResultsSettings): string[] {
  return ['results:', ...Object.entries(wanted).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`)];
}

/** Checks that they can be written, and gives what writes them: its file, or undefined when there is nothing to write. */
export async function saveResultsSettings(
  wanted: ResultsSettings,
  { terminal: { cwd } }: CommandCall<CommonFlags>,
): Promise<() => Promise<string | undefined>> {
  if (Object.keys(wanted).length === 0) return async () => undefined;
  if (wanted.repo !== undefined && withoutPassword(wanted.repo) !== wanted.repo)
    throw unsavable(
      'The URL has a name or a password in it, which is not for a file of settings',
      SECRET_HINT,
    );
  const path = (await findConfig(cwd, nodeDisk)) ?? join(cwd, NEW_NAME);
  if (/[tj]s$/.test(path))
    throw unsavable(
      `${path} is code, which cannot be extended by --save`,
      `Write it there: ${settingLines(wanted).join(' ')}`,
    );
  const before = await nodeDisk.read(path);
  const text =
    before === undefined
      ? newText(wanted, cwd)
      : await extended(path, Buffer.from(before).toString('utf8'), wanted);
  return async () => {
    await replaceFile(nodeDisk, path, Buffer.from(text, 'utf8'));
    return path;
  };
}

const SECRET_HINT = 'Leave it out of the URL, and let git find it by a credential helper.';

function newText(wanted: ResultsSettings, cwd: string): string {
  const schema = relative(cwd, packagePage('config.schema.json'));
  // Where the package is installed in the project, editors find its schema.
  const lines = schema.startsWith('node_modules') ? [`# yaml-language-server: $schema=${schema}`] : [];
  return `${[...lines, ...settingLines(wanted)].join('\n')}\n`;
}

/** What stands in the file stays as it is, with its comments. */
async function extended(path: string, text: string, wanted: ResultsSettings): Promise<string> {
  if (path.endsWith('.json')) {
    const value = parseJson(text);
    const config: JsonObject = isJsonObject(value) ? value : {};
    const results = isJsonObject(config.results) ? config.results : {};
    return `${JSON.stringify({ ...config, results: { ...results, ...wanted } }, undefined, 2)}\n`;
  }
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  for (const [key, value] of Object.entries(wanted)) document.setIn(['results', key], value);
  return document.toString();
}

function unsavable(what: string, hint: string): UsageError {
  return new UsageError({ code: 'E_CONFIG_SAVE', message: `${what}.`, hint });
}
