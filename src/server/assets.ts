import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ActionableError, digestOf, packageFile } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';

/** A file of the app, ready to be sent. */
export interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer> | undefined;
  readonly type: string;
  readonly tag: string;
  /** Its name changes with its content. */
  readonly isForever: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
  png: 'image/png',
  woff2: 'font/woff2',
};

/**
 * The files of the app, by the paths that they are asked for under. They are listed once, when the server starts: what a
 * client asks for is looked up among them, and never becomes a path.
 */
export class Assets {
  readonly #disk: Disk;
  readonly #dir: string;
  readonly #files: ReadonlyMap<string, string>;
  readonly #read = new Map<string, Promise<Asset>>();

  private constructor(disk: Disk, dir: string, files: ReadonlyMap<string, string>) {
    this.#disk = disk;
    this.#dir = dir;
    this.#files = files;
  }

  static async open(disk: Disk, dir: string = packageFile('dist/studio')): Promise<Assets> {
    const files = new Map<string, string>();
    await list(disk, dir, '', files);
    if (!files.has('/index.html'))
      throw new ActionableError({
        code: 'E_STUDIO_NOT_BUILT',
        message: `The Studio's app is not in ${dir}.`,
        hint: 'In a checkout, run "npm run build"; else install the package again.',
      });
    return new Assets(disk, dir, files);
  }

  async get(path: string): Promise<Asset | undefined> {
    const file = this.#files.get(path);
    if (file === undefined) return undefined;
    const known = this.#read.get(path) ?? this.#load(file);
    this.#read.set(path, known);
    return await known;
  }

  async #load(file: string): Promise<Asset> {
    const bytes = Buffer.from((await this.#disk.read(join(this.#dir, file))) ?? '');
    const ending = /\.(\w+)$/.exec(file)?.[1] ?? '';
    return {
      bytes,
      gzipped: ending === 'png' || ending === 'woff2' ? undefined : gzipSync(bytes),
      type: TYPES[ending] ?? 'application/octet-stream',
      tag: digestOf(bytes).slice(0, 20),
      isForever: file.startsWith('assets/'),
    };
  }
}

async function list(disk: Disk, dir: string, under: string, files: Map<string, string>): Promise<void> {
  for (const entry of (await disk.list(join(dir, under))) ?? []) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`;
    if (entry.kind === 'directory') await list(disk, dir, path, files);
    else files.set(`/${path}`, path);
  }
}
