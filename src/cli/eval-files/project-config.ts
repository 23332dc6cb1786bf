import { dirname, join, relative } from 'node:path';
import { UsageError } from '../../base/index.ts';
import type { Disk } from '../../disk/index.ts';
import { readYaml } from '../../evals/index.ts';
import type { PriceTable } from '../../targets/index.ts';
import { isPriceTable, problemInPrices } from '../run/prices-file.ts';

/** What a project says for all its evals. */
export interface ProjectConfig {
  readonly prices?: PriceTable;
}

const NAMES = ['holdfast.config.json', 'holdfast.config.yaml', 'holdfast.config.yml'];

/** The nearest `holdfast.config.{json,yaml}`, looked for from a folder upwards; empty where there is none. */
export async function readProjectConfig(
  dir: string,
  { disk, cwd }: { readonly disk: Disk; readonly cwd: string },
): Promise<ProjectConfig> {
  for (let at = dir; ; at = dirname(at)) {
    for (const name of NAMES) {
      const path = join(at, name);
      if ((await disk.stat(path))?.kind !== 'file') continue;
      const near = relative(cwd, path);
      return readConfig((await disk.read(path)) ?? new Uint8Array(), near.startsWith('..') ? path : near);
    }
    if (at === dirname(at)) return {};
  }
}

async function readConfig(bytes: Uint8Array, label: string): Promise<ProjectConfig> {
  // YAML reads JSON, too.
  const reading = await readYaml(Buffer.from(bytes).toString('utf8'));
  if ('problem' in reading) throw invalid(label, `${reading.problem} (line ${reading.line})`);
  const value: unknown = reading.value ?? {};
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(label, 'it is no object of settings');
  const { prices, ...others }: Readonly<Record<string, unknown>> = { ...value };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalid(label, `it has "${unknown}", which is no setting`);
  if (prices === undefined) return {};
  if (!isPriceTable(prices)) throw invalid(label, problemInPrices(prices, '"prices"'));
  return { prices };
}

function invalid(label: string, reason: string): UsageError {
  return new UsageError({
    code: 'E_CONFIG',
    message: `The settings in ${label} cannot be used: ${reason}.`,
    hint: 'There is one setting, prices in US dollars per million tokens: { "prices": { "openai/gpt-5": { "input": 1.25, "output": 10 } } }.',
  });
}
