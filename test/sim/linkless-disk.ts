import { type Disk, explainLinkError } from '../../src/disk/index.ts';
import { systemError } from './system-error.ts';
import { withMethods } from './with-methods.ts';

/** A disk like exFAT, or some network mounts: everything works but hard links. */
export function linklessDisk(disk: Disk, errno = 'EPERM'): Disk {
  return withMethods(disk, {
    link: async (_, name) => {
      throw explainLinkError(systemError(errno, name), name);
    },
  });
}
