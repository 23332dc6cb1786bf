import { expect, test } from 'vitest';
import { systemError } from '../../test/sim/system-error.ts';
import { ActionableError } from '../base/index.ts';
import { explainDiskError } from './explain.ts';

test.each([
  ['ENOSPC', 'E_DISK_FULL'],
  ['EDQUOT', 'E_DISK_FULL'],
  ['EIO', 'E_DISK_IO'],
  ['EACCES', 'E_DISK_DENIED'],
  ['EPERM', 'E_DISK_DENIED'],
  ['EROFS', 'E_DISK_DENIED'],
])('%s becomes %s, with path, hint and cause', (errno, code) => {
  const cause = systemError(errno, '/data/x');
  const explained = explainDiskError(cause, '/data/x');
  expect(explained).toBeInstanceOf(ActionableError);
  expect(explained).toMatchObject({ code, cause, message: expect.stringContaining('/data/x') });
  expect(explained).toHaveProperty('hint', expect.stringMatching(/\.$/));
});

test.each([systemError('ENOENT', 'x'), systemError('EEXIST', 'x'), new Error('x'), 'text', undefined])(
  'anything else is given back as it is: %s',
  (error) => {
    expect(explainDiskError(error, 'x')).toBe(error);
  },
);

test('what was explained once stays as it is', () => {
  const explained = explainDiskError(systemError('EIO', 'inner'), 'inner');
  expect(explainDiskError(explained, 'outer')).toBe(explained);
});
