/**
 * Disk: the only door to the file system, so that tests can crash it. SQLite alone goes past it
 * (docs/decisions says why). Every implementation passes `test/contract/disk.ts`:
 *
 * - [DISK-1] What is written is readable at once, but survives power loss only after `sync` of that file.
 * - [DISK-2] A name (created, renamed, removed) survives power loss only after `syncDir` of its directory.
 * - [DISK-3] `rename` is atomic to readers and replaces what was there.
 * - [DISK-4] `link` fails with EEXIST when the new name exists: create-if-absent for whole files.
 * - [DISK-5] A missing path is `undefined` from `read`, `stat` and `list`; every other failure throws the errno, or,
 *   when the disk is full, broken or denied, an ActionableError with the errno as its cause (`explainDiskError`).
 * - [DISK-6] `identity` of a `stat` names the file or directory itself, wherever its name goes: of those that are there at one time no two
 *   have the same. A share that is mounted anew may have another.
 */
export interface Disk {
  read(path: string): Promise<Uint8Array | undefined>;
  /** Follows symbolic links; `list` shows them as `other`. */
  stat(path: string): Promise<DiskStat | undefined>;
  /** Names directly below a directory, in code-unit order. */
  list(dir: string): Promise<readonly DiskEntry[] | undefined>;
  /**
   * Creates the directory and its parents; one that exists is fine. Their names are durable on return, unless somebody says `isSynced:
   * false` and syncs the directories around them himself. What `below` names must be there: neither it nor anything above it is made (ENOENT).
   */
  makeDir(dir: string, options?: MakeDirOptions): Promise<void>;
  /** `read`: must exist. `create`: empty, read and write, fails with EEXIST. `update`: read and write, must exist. */
  open(path: string, mode: 'read' | 'create' | 'update'): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  link(existing: string, name: string): Promise<void>;
  /** Removes a file; a missing one is fine. */
  remove(path: string): Promise<void>;
  /** Removes a directory and all below it; a missing one is fine. */
  removeTree(dir: string): Promise<void>;
  syncDir(dir: string): Promise<void>;
}

export interface MakeDirOptions {
  readonly isSynced?: boolean;
  readonly below?: string;
}

export interface DiskFile extends AsyncDisposable {
  /** Fills `into` from `position`; returns how many bytes there were (fewer only at the end of the file). */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes all bytes or throws. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  truncate(sizeBytes: number): Promise<void>;
  sizeBytes(): Promise<number>;
  sync(): Promise<void>;
  /**
   * Makes the file read-only for everybody, and lets those who may read it run it when it is `executable`; like bytes, that survives
   * power loss only after `sync`. It keeps out accidents: whoever may change the folder can still replace the file, and an administrator
   * may write anything. A file that has another name elsewhere is not only ours and stays writable, and Windows, where what is read-only
   * cannot be removed either, has none of it.
   */
  protect(rights?: { readonly executable: boolean }): Promise<void>;
  close(): Promise<void>;
}

export interface DiskStat {
  readonly kind: 'file' | 'directory' | 'other';
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Compared, never read. */
  readonly identity: string;
}

export interface DiskEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'other';
}
