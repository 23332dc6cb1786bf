export type { Disk, DiskEntry, DiskFile, DiskStat } from './disk.ts';
export { explainDiskError } from './explain.ts';
export { nodeDisk } from './node-disk.ts';
