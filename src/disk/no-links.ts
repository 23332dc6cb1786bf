import { ActionableError, errnoOf } from '../base/index.ts';

/** What file systems without hard links say (exFAT, some network mounts). */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** What to throw for a link that failed: every disk says in this way that it has none. Other errors are given back as they are. */
export function explainLinkError(error: unknown, name: string): unknown {
  if (!NO_LINKS.has(errnoOf(error))) return error;
  return new ActionableError({
    code: 'E_DISK_NO_LINK',
    message: `Cannot create ${name}: its file system does not allow hard links (${errnoOf(error)}).`,
    hint: 'Choose a directory on a local file system such as ext4, xfs, btrfs, APFS or NTFS.',
    cause: error,
  });
}

export function hasNoLinks(error: unknown): boolean {
  return error instanceof ActionableError && error.code === 'E_DISK_NO_LINK';
}
