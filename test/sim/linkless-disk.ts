import { type Disk, explainDiskError } from '../../src/disk/index.ts';
import { systemError } from './system-error.ts';

/** A disk like exFAT, or some network mounts: everything works but hard links. */
export function linklessDisk(disk: Disk, errno = 'EPERM'): Disk {
  return new Proxy(disk, {
    get(target, key) {
      if (key === 'link')
        return async (_: string, name: string) => {
          throw explainDiskError(systemError(errno, name), name);
        };
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
