/** A machine of its own, as far as the network goes: a network namespace, with cables to this machine that can be cut. */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import process from 'node:process';

export interface Cable {
  /** This machine's address, as it is seen from there. */
  readonly ours: string;
  readonly theirs: string;
  /** Every packet is dropped from now on, in both directions; nobody is told. */
  cut(): void;
  mend(): void;
}

export interface NetworkNamespace extends Disposable {
  /** What a program is started with there. */
  readonly prefix: readonly string[];
  readonly cables: readonly Cable[];
}

let made = 0;

/** Undefined where this machine does not allow it. */
export function openNamespace(cables: number): NetworkNamespace | undefined {
  const id = `${process.pid}x${++made}`;
  const name = `hf${id}`;
  const net = `10.${randomInt(200, 250)}.${randomInt(250)}`;
  // The cables go with it.
  const close = () => void tryIp('netns', 'del', name);
  const laid = Array.from({ length: cables }, (_, index) => ({
    device: `h${id}c${index}`,
    ours: `${net}.${4 * index + 1}`,
    theirs: `${net}.${4 * index + 2}`,
  }));
  const inside = ['netns', 'exec', name, 'ip'];
  const isThere =
    tryIp('netns', 'add', name) &&
    tryIp(...inside, 'link', 'set', 'lo', 'up') &&
    laid.every(({ device, ours, theirs }, index) => {
      const there = `eth${index}`;
      return (
        tryIp('link', 'add', device, 'type', 'veth', 'peer', 'name', there, 'netns', name) &&
        tryIp('addr', 'add', `${ours}/30`, 'dev', device) &&
        tryIp('link', 'set', device, 'up') &&
        tryIp(...inside, 'addr', 'add', `${theirs}/30`, 'dev', there) &&
        tryIp(...inside, 'link', 'set', there, 'up')
      );
    });
  if (!isThere) {
    close();
    return undefined;
  }
  return {
    prefix: ['ip', 'netns', 'exec', name],
    cables: laid.map(({ device, ours, theirs }) => ({
      ...{ ours, theirs },
      cut: () => void execFileSync('ip', ['link', 'set', device, 'down']),
      mend: () => void execFileSync('ip', ['link', 'set', device, 'up']),
    })),
    [Symbol.dispose]: close,
  };
}

/** Why there are none for the tests; undefined when there are. */
export function namespaceObstacle(): string | undefined {
  using namespace = openNamespace(1);
  return namespace ? undefined : 'network namespaces are not allowed here';
}

function tryIp(...args: readonly string[]): boolean {
  try {
    execFileSync('ip', args, { stdio: 'ignore' });
    return true;
  } catch {
    return false; // There is no such program, or no right to do this.
  }
}
