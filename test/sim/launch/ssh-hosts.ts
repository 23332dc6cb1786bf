/**
 * Two hosts that speak ssh, each a real sshd with a home folder of its own: in network namespaces of their own where this machine allows
 * that, else on two addresses of it. All keys are made for them.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithUs } from '../end-with-us.ts';
import { namespaceObstacle, openNamespace } from '../network-namespace.ts';
import { makeTempDir } from '../temp-dir.ts';

export interface SshHost {
  /** As a launch names it. */
  readonly name: string;
  readonly home: string;
  /** What sshd said. */
  log(): string;
}

export interface SshHosts extends AsyncDisposable {
  readonly hosts: readonly [SshHost, SshHost];
  /** Options of ssh that lead there. */
  readonly options: readonly string[];
}

const SSHD = '/usr/sbin/sshd';

/** Why there are none for the tests; undefined when there are. */
export const sshObstacle =
  isThere(SSHD, ['-?']) && isThere('ssh', ['-V']) ? undefined : 'sshd is not installed';

/** Where both hosts are this machine, their names say it: nothing is proved of two networks. */
export function onSsh(what: string): string {
  if (sshObstacle !== undefined) return `${what} (${sshObstacle})`;
  const why = namespaceObstacle();
  return why === undefined
    ? `${what}, between network namespaces`
    : `${what}, on this machine alone (${why})`;
}

export async function startSshHosts(): Promise<SshHosts> {
  const dir = await makeTempDir();
  const [hostKey, userKey] = ['host-key', 'user-key'].map((name) => join(dir.path, name)) as [string, string];
  for (const key of [hostKey, userKey])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key], { stdio: 'ignore' });
  // Where sshd as root puts its unprivileged part.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  copyFileSync(`${userKey}.pub`, join(dir.path, 'authorized'));
  const network = openNetwork();
  const port = network.isNamespaces ? 22 : await freePort();
  const known = join(dir.path, 'known-hosts');
  writeFileSync(
    known,
    network.addresses
      .map(
        (address) =>
          `${port === 22 ? address : `[${address}]:${port}`} ${readFileSync(`${hostKey}.pub`, 'utf8')}`,
      )
      .join(''),
  );
  const started = network.addresses.map((address, index) =>
    startSshd(dir.path, { index, address, port, prefix: network.prefixes[index] ?? [] }),
  );
  for (const address of network.addresses) await untilAnswering(address, port);
  const user = userInfo().username;
  const hosts = started.map(({ home, log }, index) => ({
    name: `${user}@${network.addresses[index]}`,
    home,
    log: () => readFileSync(log, 'utf8'),
  }));
  return {
    hosts: hosts as [SshHost, SshHost],
    options: [
      ...['-F', 'none', '-p', String(port), '-i', userKey, '-o', 'IdentitiesOnly=yes'],
      ...['-o', `UserKnownHostsFile=${known}`, '-o', 'StrictHostKeyChecking=yes'],
    ],
    async [Symbol.asyncDispose]() {
      for (const { child } of started) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      network.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

function startSshd(
  dir: string,
  about: { index: number; address: string; port: number; prefix: readonly string[] },
): { readonly child: ChildProcess; readonly home: string; readonly log: string } {
  const home = join(dir, `home-${about.index}`);
  mkdirSync(home);
  const conf = join(dir, `sshd-${about.index}.conf`);
  const log = join(dir, `sshd-${about.index}.log`);
  const lines = [
    `Port ${about.port}`,
    `ListenAddress ${about.address}`,
    `HostKey ${join(dir, 'host-key')}`,
    `AuthorizedKeysFile ${join(dir, 'authorized')}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'PermitRootLogin prohibit-password',
    `SetEnv HOME=${home}`,
  ];
  writeFileSync(conf, `${lines.join('\n')}\n`);
  const [program = '', ...args] = [...about.prefix, SSHD, '-D', '-E', log, '-f', conf];
  const child = spawn(program, args, { stdio: 'ignore' });
  endWithUs(child);
  return { child, home, log };
}

interface Network {
  readonly isNamespaces: boolean;
  readonly addresses: readonly [string, string];
  /** What a program is started with there. */
  readonly prefixes: readonly [readonly string[], readonly string[]];
  close(): void;
}

function openNetwork(): Network {
  const [one, two] = [openNamespace(1), openNamespace(1)];
  const close = () => {
    for (const namespace of [one, two]) namespace?.[Symbol.dispose]();
  };
  const [first, second] = [one, two].map((namespace) => namespace?.cables[0]?.theirs);
  if (one && two && first && second)
    return { isNamespaces: true, addresses: [first, second], prefixes: [one.prefix, two.prefix], close };
  close();
  return { isNamespaces: false, addresses: ['127.0.0.1', '127.0.0.2'], prefixes: [[], []], close };
}

function isThere(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, [...args], { stdio: 'ignore' });
    return true;
  } catch (error) {
    // It is there, and does not know what it was asked.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

async function untilAnswering(address: string, port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const socket = connect(port, address);
    const isThere = await Promise.race([
      once(socket, 'connect').then(
        () => true,
        () => false,
      ),
      sleep(500, false),
    ]);
    socket.destroy();
    if (isThere) return;
    await sleep(50);
  }
  throw new Error(`no sshd answers at ${address}:${port}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '0.0.0.0');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
