// `npm test`: installs what the tests need, then runs the whole gate. Nothing is skipped silently: a part of the system
// that is missing and cannot be installed is named here, and the tests that need it name it again.
import { spawnSync } from 'node:child_process';
import { ensureInstalled, say, tryRun } from './set-up.mjs';

/** What tests need of the system: the program, and the Debian package that holds it. */
const SYSTEM_PARTS = [
  { program: 'strace', aptPackage: 'strace', why: 'the order of writes and fsyncs' },
  { program: 'chromium', aptPackage: 'chromium', why: 'the Studio in a browser' },
  { program: 'ceph-mon', aptPackage: 'ceph-mon', why: 'buckets in S3' },
  { program: 'ceph-osd', aptPackage: 'ceph-osd', why: 'buckets in S3' },
  { program: 'radosgw', aptPackage: 'radosgw', why: 'buckets in S3' },
  { program: 'redis-server', aptPackage: 'redis-server', why: 'queues in Redis' },
  { program: 'sshd', aptPackage: 'openssh-server', why: 'workers over ssh' },
  { program: 'ssh', aptPackage: 'openssh-client', why: 'workers over ssh' },
];

ensureInstalled();
installSystemParts(SYSTEM_PARTS.filter(({ program }) => !isThere(program)));
installOldestNode();
process.exitCode = tryRun('node', ['scripts/check.mjs']);

/** The oldest Node that package.json promises, in a folder of its own: some of its faults are gone from later ones. */
function installOldestNode() {
  const args = ['install', '--prefix', 'test/oldest-node', '--no-audit', '--no-fund', '--no-save'];
  if (tryRun('npm', args) !== 0) say('The oldest Node could not be installed: tests on it are skipped');
}

function installSystemParts(missing) {
  if (missing.length === 0) return;
  const names = missing.map(({ program }) => program).join(', ');
  const obstacle = process.getuid?.() !== 0 ? 'not root' : isThere('apt-get') ? undefined : 'no apt-get';
  if (obstacle === undefined) {
    say(`Installing ${names} (apt-get)`);
    const options = { env: { DEBIAN_FRONTEND: 'noninteractive' } };
    tryRun('apt-get', ['update', '-qq'], options);
    const packages = missing.map(({ aptPackage }) => aptPackage);
    tryRun('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
  }
  for (const { program, why } of missing) {
    if (!isThere(program))
      say(
        `${program} is missing and could not be installed (${obstacle ?? 'apt-get failed'}): tests of ${why} are skipped`,
      );
  }
}

function isThere(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}
