import { join } from 'node:path';
import { directoryBucket } from '../../src/bucket/index.ts';
import { type Disk, nodeDisk, replaceFile, tempPathFor } from '../../src/disk/index.ts';
import { FaultyBucket } from '../sim/faulty-bucket.ts';
import { memoryBucket } from '../sim/memory-bucket.ts';
import { SimulatedDisk } from '../sim/simulated-disk.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type BucketUnderTest, bucketContract } from './bucket.ts';

bucketContract('directoryBucket', async () => {
  const dir = await makeTempDir();
  const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
  return { ...onDisk(nodeDisk, dir.path), bucket, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
});

bucketContract('directoryBucket on a simulated disk', async () => {
  const disk = new SimulatedDisk();
  return { ...onDisk(disk, '/'), bucket: directoryBucket(disk, '/bucket') };
});

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
    async [Symbol.asyncDispose]() {
      // What is in memory goes by itself.
    },
  };
}
