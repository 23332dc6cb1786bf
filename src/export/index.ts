export { type ExportReport, exportTables } from './export-tables.ts';
export type { ExportedRun } from './exported-run.ts';
export type { TableFormat, TableName } from './table-writer.ts';
