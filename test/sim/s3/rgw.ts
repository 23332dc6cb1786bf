/** Ceph's RADOS gateway: a real server that speaks S3, of one monitor, one store in memory and the gateway, all on this machine's own address. */
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { makeTempDir } from '../temp-dir.ts';
import type { S3Program, S3Server } from './s3-server.ts';

const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw'];
const KEYS = { accessKey: 'testkey', secretKey: 'testsecret' };
const run = promisify(execFile);

export const rgw: S3Program = { name: 'Ceph RGW', whyNot: whyNoRgw, start: startRgw };

/** Why there can be none here; undefined when there can. */
async function whyNoRgw(): Promise<string | undefined> {
  for (const program of PROGRAMS) {
    const isThere = await run(program, ['--version']).then(
      () => true,
      () => false,
    );
    if (!isThere) return `${program} is not installed`;
  }
  return undefined;
}

async function startRgw(): Promise<S3Server> {
  const dir = await makeTempDir();
  const place = new Place(dir.path, await freePorts(3));
  try {
    await place.start();
  } catch (error) {
    place.stop();
    await dir[Symbol.asyncDispose]();
    throw error;
  }
  return {
    endpoint: place.endpoint,
    ...KEYS,
    [Symbol.asyncDispose]: async () => {
      place.stop();
      // The processes hold their files until they are gone.
      await sleep(200);
      await dir[Symbol.asyncDispose]();
    },
  };
}

class Place {
  readonly endpoint: string;
  readonly #dir: string;
  readonly #conf: string;
  readonly #keyring: string;
  readonly #ports: readonly number[];
  readonly #fsid = randomUUID();

  constructor(dir: string, ports: readonly number[]) {
    this.#dir = dir;
    this.#ports = ports;
    this.#conf = join(dir, 'ceph.conf');
    this.#keyring = join(dir, 'keyring');
    this.endpoint = `http://127.0.0.1:${ports[2]}`;
  }

  async start(): Promise<void> {
    for (const name of ['mon', 'osd', 'rgw', 'run', 'log']) mkdirSync(join(this.#dir, name));
    writeFileSync(this.#conf, this.#settings());
    await this.#makeKeys();
    await this.#startMonitor();
    await this.#startStore();
    const user = [
      '--uid',
      'test',
      '--display-name',
      'test',
      '--access-key',
      KEYS.accessKey,
      '--secret-key',
      KEYS.secretKey,
    ];
    await this.#ceph('radosgw-admin', ['user', 'create', ...user]);
    await this.#ceph('radosgw', ['-n', 'client.rgw']);
    await this.#untilAnswering();
  }

  /** Its state is thrown away, so nothing has to be put in order. */
  stop(): void {
    for (const name of readdirSync(this.#dir).filter((one) => one.endsWith('.pid'))) {
      const pid = Number(readFileSync(join(this.#dir, name), 'utf8'));
      try {
        if (pid > 1) process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  }

  #settings(): string {
    const dir = this.#dir;
    const [first, second, third] = this.#ports;
    return `[global]
fsid = ${this.#fsid}
mon host = [v2:127.0.0.1:${first},v1:127.0.0.1:${second}]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
keyring = ${this.#keyring}
run dir = ${dir}/run
admin socket = ${dir}/run/$name.asok
pid file = ${dir}/$name.pid
log file = ${dir}/log/$name.log
crash dir = ${dir}/crash
mon data = ${dir}/mon
osd data = ${dir}/osd
rgw data = ${dir}/rgw
osd objectstore = memstore
memstore device bytes = 2147483648
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon warn on pool no redundancy = false
mon data avail crit = 1
mon max pg per osd = 1000
rgw frontends = beast endpoint=127.0.0.1:${third} tcp_nodelay=1
rgw enable usage log = false
rgw enable ops log = false
`;
  }

  async #makeKeys(): Promise<void> {
    const key = (name: string, caps: Readonly<Record<string, string>>, ...more: string[]) =>
      run('ceph-authtool', [
        ...more,
        this.#keyring,
        '--gen-key',
        '-n',
        name,
        ...Object.entries(caps).flatMap(([who, what]) => ['--cap', who, what]),
      ]);
    await key('mon.', { mon: 'allow *' }, '--create-keyring');
    await key('client.admin', { mon: 'allow *', osd: 'allow *' });
    await key('osd.0', { mon: 'allow profile osd', osd: 'allow *' });
    await key('client.rgw', { mon: 'allow rw', osd: 'allow rwx' });
  }

  async #startMonitor(): Promise<void> {
    const map = join(this.#dir, 'monmap');
    const [first, second] = this.#ports;
    const address = `[v2:127.0.0.1:${first},v1:127.0.0.1:${second}]`;
    await run('monmaptool', ['--create', '--fsid', this.#fsid, '--addv', 'a', address, map]);
    await this.#ceph('ceph-mon', ['--mkfs', '-i', 'a', '--monmap', map, '--keyring', this.#keyring]);
    await this.#ceph('ceph-mon', ['-i', 'a']);
  }

  async #startStore(): Promise<void> {
    const id = randomUUID();
    await this.#ceph('ceph', ['osd', 'new', id, '0']);
    await this.#ceph('ceph-osd', ['-i', '0', '--mkfs', '--osd-uuid', id]);
    await this.#ceph('ceph-osd', ['-i', '0']);
  }

  /** Daemons go on in the background, and must not hold our pipes. */
  async #ceph(program: string, args: readonly string[]): Promise<void> {
    const child = spawn(program, args, {
      stdio: 'ignore',
      env: { ...process.env, CEPH_CONF: this.#conf },
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}; see ${this.#dir}/log`);
  }

  async #untilAnswering(): Promise<void> {
    for (let tries = 0; tries < 600; tries++) {
      const isThere = await fetch(this.endpoint).then(
        () => true,
        () => false,
      );
      if (isThere) return;
      await sleep(100);
    }
    throw new Error('the gateway does not answer');
  }
}

/** So many that are free now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  for (const server of servers) server.close();
  return ports;
}
