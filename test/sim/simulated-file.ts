import type { Random } from '../../src/base/index.ts';

type Change =
  | { readonly kind: 'write'; readonly bytes: Uint8Array; readonly position: number }
  | { readonly kind: 'truncate'; readonly sizeBytes: number };

let identities = 0;

/** Like the number of an inode; that of a file stays when the power goes. */
export function newIdentity(): string {
  return `simulated:${++identities}`;
}

/**
 * The bytes of one file: as readers see them, as they are on the platter, and what lies between. Power loss treats each
 * unsynced change by itself: kept, dropped or torn.
 */
export class SimulatedFile {
  readonly kind = 'file';
  readonly identity: string;
  modifiedMs: number;
  #current: Uint8Array;
  #durable: Uint8Array;
  #unsynced: Change[] = [];

  constructor(modifiedMs: number, durable: Uint8Array = new Uint8Array(), identity = newIdentity()) {
    this.modifiedMs = modifiedMs;
    this.identity = identity;
    this.#durable = durable;
    this.#current = durable;
  }

  get bytes(): Uint8Array {
    return this.#current;
  }

  write(bytes: Uint8Array, position: number): void {
    this.#change({ kind: 'write', bytes: bytes.slice(), position });
  }

  truncate(sizeBytes: number): void {
    this.#change({ kind: 'truncate', sizeBytes });
  }

  sync(): void {
    this.#durable = this.#current;
    this.#unsynced = [];
  }

  /** What may be found after the power came back. */
  afterPowerLoss(random: Random): SimulatedFile {
    let bytes = this.#durable;
    for (const change of this.#unsynced) {
      const survived = survivor(change, random);
      if (survived) bytes = apply(bytes, survived);
    }
    return new SimulatedFile(this.modifiedMs, bytes, this.identity);
  }

  #change(change: Change): void {
    this.#unsynced.push(change);
    this.#current = apply(this.#current, change);
  }
}

function apply(bytes: Uint8Array, change: Change): Uint8Array {
  const sizeBytes =
    change.kind === 'truncate'
      ? change.sizeBytes
      : Math.max(bytes.length, change.position + change.bytes.length);
  const result = new Uint8Array(sizeBytes);
  result.set(bytes.subarray(0, sizeBytes));
  if (change.kind === 'write') result.set(change.bytes, change.position);
  return result;
}

/** Kept, dropped, cut short, or cut short with garbage where the rest should be: each as likely. */
function survivor(change: Change, random: Random): Change | undefined {
  const fate = Math.floor(random.next() * 4);
  if (fate === 0) return change;
  if (fate === 1 || change.kind === 'truncate') return undefined;
  const keptBytes = Math.floor(random.next() * change.bytes.length);
  const kept = change.bytes.slice(0, keptBytes);
  if (fate === 2) return { ...change, bytes: kept };
  const garbage = random.bytes(change.bytes.length - keptBytes);
  return { ...change, bytes: Buffer.concat([kept, garbage]) };
}
