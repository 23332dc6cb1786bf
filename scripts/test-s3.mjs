// `npm run test:s3`: the tests of S3 on another real server than `npm test` has, versitygw, which is built here when it is not there yet.
// It needs Go 1.25 or later; where there is none, they are skipped and this says so. HOLDFAST_VERSITYGW names one that is built already.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, ROOT, say, tryRun } from './set-up.mjs';

const VERSION = '1.8.0';
const GO_AT_LEAST = [1, 25];
const TESTS = ['src/bucket/s3', 'test/e2e/s3'];
/** Names of arguments are tests of these, as for vitest. */
const names = process.argv.slice(2);

ensureInstalled();
const server = process.env.HOLDFAST_VERSITYGW || build();
if (server !== undefined) {
  say(`The tests of S3 on ${server}`);
  const env = { HOLDFAST_TEST_S3: 'versitygw', HOLDFAST_VERSITYGW: server };
  process.exitCode = tryRun('vitest', ['run', ...(names.length > 0 ? names : TESTS)], { env });
}

/** Where the server is; undefined when it cannot be had, which is said. */
function build() {
  const folder = join(ROOT, 'node_modules/.cache', `versitygw-${VERSION}`);
  const path = join(folder, 'versitygw');
  if (existsSync(path)) return path;
  const go = ['go', '/usr/local/go/bin/go'].find((one) => isNewEnough(one));
  if (go === undefined) {
    say(`skipped: versitygw needs Go ${GO_AT_LEAST.join('.')} or later to be built, and there is none`);
    return undefined;
  }
  say(`Building versitygw ${VERSION} (some minutes, once)`);
  const env = { GOBIN: folder, GOTOOLCHAIN: 'local' };
  const status = tryRun(go, ['install', `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`], { env });
  if (status === 0) return path;
  say('versitygw could not be built');
  process.exitCode = 1;
  return undefined;
}

function isNewEnough(go) {
  const { stdout } = spawnSync(go, ['env', 'GOVERSION'], {
    encoding: 'utf8',
    env: { ...process.env, GOTOOLCHAIN: 'local' },
  });
  const [, major = 0, minor = 0] = /^go(\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  const [wantedMajor, wantedMinor] = GO_AT_LEAST;
  return Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor);
}
