import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemError } from '../../test/sim/system-error.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { explainLinkError, hasNoLinks } from './no-links.ts';
import { nodeDisk } from './node-disk.ts';

test('a link that the file system does not allow is said as such, by the real disk too', async () => {
  await using dir = await makeTempDir();
  const target = join(dir.path, 'folder');
  await nodeDisk.makeDir(target);
  // Linux allows no hard links to folders, and says so as file systems do that allow none at all.
  const failed = await nodeDisk.link(target, join(dir.path, 'link')).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'E_DISK_NO_LINK', message: expect.stringContaining('EPERM') });
  expect(hasNoLinks(failed)).toBe(true);
});

test.each(['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])('%s means that there are no links', (errno) => {
  expect(hasNoLinks(explainLinkError(systemError(errno, '/x'), '/x'))).toBe(true);
});

test.each(['EEXIST', 'EIO', 'ENOSPC', 'EACCES'])('%s says nothing about links', (errno) => {
  const error = systemError(errno, '/x');
  expect(explainLinkError(error, '/x')).toBe(error);
  expect(hasNoLinks(error)).toBe(false);
});
