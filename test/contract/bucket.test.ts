import { join } from 'node:path';
import { bucketFolder, directoryBucket } from '../../src/bucket/index.ts';
import { type Disk, explainDiskError, nodeDisk, replaceFile, tempPathFor } from '../../src/disk/index.ts';
import { FaultyBucket } from '../sim/faulty-bucket.ts';
import { memoryBucket } from '../sim/memory-bucket.ts';
import { SimulatedDisk } from '../sim/simulated-disk.ts';
import { systemError } from '../sim/system-error.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type BucketFailure, type BucketUnderTest, bucketContract } from './bucket.ts';

bucketContract('directoryBucket', async () => {
  const dir = await makeTempDir();
  const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
  return { ...onDisk(nodeDisk, dir.path), bucket, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
});

bucketContract(
  'directoryBucket on a simulated disk',
  async () => {
    const disk = new SimulatedDisk();
    const failing = (how: BucketFailure) => directoryBucket(failingDisk(ERRNOS[how]), '/bucket');
    return { ...onDisk(disk, '/'), bucket: directoryBucket(disk, '/bucket'), failing };
  },
  { canFail: true },
);

bucketContract('directoryBucket with the orphan of a dead writer in it', async () => {
  const disk = new SimulatedDisk();
  await disk.makeDir('/bucket');
  await replaceFile(disk, tempPathFor('/bucket/x'), new Uint8Array(3));
  return { ...onDisk(disk, '/'), bucket: directoryBucket(disk, '/bucket') };
});

bucketContract('memoryBucket', async () => {
  const disk = new SimulatedDisk();
  return { ...onDisk(disk, '/'), bucket: memoryBucket({ disk }) };
});

bucketContract('bucketFolder of a memoryBucket that holds more', async () => {
  const disk = new SimulatedDisk();
  const around = memoryBucket({ disk });
  for (const key of ['a', 'in', 'in/the-other/x', 'in/theirs', 'z/y'])
    await around.create(key, new Uint8Array(1));
  return { ...onDisk(disk, '/'), bucket: bucketFolder(around, 'in/the') };
});

bucketContract('FaultyBucket without faults', async () => {
  const disk = new SimulatedDisk();
  return { ...onDisk(disk, '/'), bucket: new FaultyBucket(memoryBucket({ disk })) };
});

function onDisk(disk: Disk, dir: string): Omit<BucketUnderTest, 'bucket'> {
  let count = 0;
  return {
    async writeLocal(bytes) {
      const path = join(dir, `local-${count++}`);
      await replaceFile(disk, path, bytes);
      return path;
    },
    readLocal: (path) => disk.read(path),
    async [Symbol.asyncDispose]() {
      // What is in memory goes by itself.
    },
  };
}

const ERRNOS: Readonly<Record<BucketFailure, string>> = { away: 'ESTALE', denied: 'EACCES', broken: 'EIO' };

/** A disk of which every call fails in the same way. */
function failingDisk(errno: string): Disk {
  const fail = async (path: string): Promise<never> => {
    throw explainDiskError(systemError(errno, path), path);
  };
  return {
    read: fail,
    stat: fail,
    list: fail,
    makeDir: fail,
    open: fail,
    rename: fail,
    link: fail,
    remove: fail,
    removeTree: fail,
    syncDir: fail,
  };
}
