import { resolve } from 'node:path';
import { Option } from 'commander';
import { UsageError } from '../../base/index.ts';
import type { TableFormat, TableName } from '../../export/index.ts';
import { collect } from '../parse-values.ts';
import type { SourcesFlags } from './run-sources.ts';

export interface ExportFlags extends SourcesFlags {
  readonly to: TableFormat | 'eval';
  readonly out: string;
  readonly table?: readonly string[];
  readonly force?: true;
  readonly spreadsheet?: true;
}

const TABLES: readonly TableName[] = ['runs', 'samples', 'scores'];

/** What both commands that export have in common. */
export function exportOptions(): readonly Option[] {
  return [
    new Option('--to <format>', 'tables for analysis, or logs')
      .choices(['parquet', 'csv', 'jsonl', 'eval'])
      .makeOptionMandatory(),
    new Option(
      '--out <place>',
      'the folder to write into; or a file, for one table or one log',
    ).makeOptionMandatory(),
    new Option('--table <name>', 'only this table: runs, samples or scores; repeatable').argParser(collect),
    new Option('--force', 'replace files that exist'),
    new Option(
      '--spreadsheet',
      'for CSV that people open in a spreadsheet: an apostrophe before texts that it would take for formulas',
    ),
  ];
}

/** Where each table goes. */
export function tableFiles(
  { to, out, table = TABLES }: ExportFlags,
  cwd: string,
): Readonly<Partial<Record<TableName, string>>> {
  const tables = TABLES.filter((name) => table.includes(name));
  const unknown = table.find((name) => !TABLES.some((known) => known === name));
  if (unknown !== undefined)
    throw new UsageError({
      code: 'E_EXPORT_TABLE',
      message: `There is no table "${unknown}".`,
      hint: `Name ${TABLES.join(', ')}, or leave --table out for all three.`,
    });
  const place = resolve(cwd, out);
  if (!out.endsWith(`.${to}`))
    return Object.fromEntries(tables.map((name) => [name, resolve(place, `${name}.${to}`)]));
  const [only, ...others] = tables;
  if (only !== undefined && others.length === 0) return { [only]: place };
  throw new UsageError({
    code: 'E_EXPORT_OUT',
    message: `${out} is one file, and ${tables.length} tables would go into it.`,
    hint: 'Name a folder with --out, or one table with --table runs, --table samples or --table scores.',
  });
}
