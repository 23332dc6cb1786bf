import { join } from 'node:path';
import { DamageError } from '../base/index.ts';
import { commitNewFile, type Disk, tempPathFor } from '../disk/index.ts';
import { createLogFile } from './log-file.ts';
import { isLogName } from './log-name.ts';
import type { LogStore } from './log-store.ts';
import { openLog } from './open-log.ts';
import { verifyLog } from './verify-log.ts';

export function directoryLogStore(disk: Disk, dir: string): LogStore {
  const pathOf = (name: string) => join(dir, name);
  return {
    place: dir,
    placeOf: pathOf,
    async *list() {
      for (const { name, kind } of (await disk.list(dir)) ?? []) {
        const stat = await disk.stat(pathOf(name));
        if (kind === 'file' && isLogName(name) && stat)
          yield { name, sizeBytes: stat.sizeBytes, modifiedMs: stat.modifiedMs };
      }
    },
    async stat(name) {
      const stat = await disk.stat(pathOf(name));
      return stat && { name, sizeBytes: stat.sizeBytes, modifiedMs: stat.modifiedMs };
    },
    async open(name) {
      return (await disk.stat(pathOf(name))) ? openLog(disk, pathOf(name)) : undefined;
    },
    async create(name, { write, judge }) {
      await disk.makeDir(dir);
      const temp = tempPathFor(pathOf(name));
      try {
        const file = await createLogFile(disk, temp);
        let written;
        try {
          written = await write(file);
          await file.finish();
        } catch (error) {
          await file.abandon();
          throw error;
        }
        const report = await verifyLog(disk, temp);
        const verdict = judge ? await judge(report, written) : 'commit';
        if (!judge && report.problems[0])
          throw new DamageError({ code: 'E_SEAL_VERIFY', message: report.problems[0].message, hint: '' });
        const target = verdict === 'set aside' ? `${pathOf(name)}.damaged` : pathOf(name);
        const outcome = await commitNewFile(disk, temp, target);
        return {
          outcome: verdict === 'set aside' ? 'set aside' : outcome === 'exists' ? 'exists' : 'created',
          written,
          report,
        };
      } catch (error) {
        await disk.remove(temp);
        throw error;
      }
    },
  };
}
