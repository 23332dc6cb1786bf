/** What happened to a process. */
export interface Strike {
  /** When it was well again, each time. */
  readonly wellAtMs: readonly number[];
  /** When it did not reach the bucket, although others did. */
  readonly cutOff: readonly { readonly fromMs: number; readonly untilMs: number }[];
  /** True when it had no time to bring away what it had: it was killed, frozen or cut off, not only told to go. */
  readonly isHard: boolean;
}

export interface StrikeMore {
  readonly isHard?: boolean;
  readonly wellAtMs?: number;
  readonly cutOff?: Strike['cutOff'][number];
}

/** The job that killed what ran it, and when. */
export interface Poisoning {
  readonly job: string;
  readonly atMs: number;
}

/** All that happened to processes, and to the sessions in them. */
export class Strikes {
  readonly struck = new Map<string, Strike>();
  /** Sessions that a job killed, by their writers. */
  readonly poisoned = new Map<string, Poisoning>();
  /** Writers of sessions that died and took with them what they had not sent. */
  readonly died = new Set<string>();
  /** When the queue came back empty. */
  readonly queueLostAtMs: number[] = [];

  add(name: string, { isHard = false, wellAtMs, cutOff }: StrikeMore = {}): void {
    const before = this.struck.get(name);
    this.struck.set(name, {
      isHard: isHard || (before?.isHard ?? false),
      wellAtMs: [...(before?.wellAtMs ?? []), ...(wellAtMs === undefined ? [] : [wellAtMs])],
      cutOff: [...(before?.cutOff ?? []), ...(cutOff ? [cutOff] : [])],
    });
  }

  /** True when nothing kept this writer of this process from sending what it had. */
  isUnhurt({ by, writer }: { readonly by: string; readonly writer: string }): boolean {
    return !this.struck.get(by)?.isHard && !this.died.has(writer);
  }
}
