import { nodeDisk } from '../../src/disk/index.ts';
import { FaultyDisk } from '../sim/faulty-disk.ts';
import { SimulatedDisk } from '../sim/simulated-disk.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type DiskUnderTest, diskContract } from './disk.ts';

diskContract('nodeDisk', async () => {
  const dir = await makeTempDir();
  return { disk: nodeDisk, root: dir.path, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
});

diskContract('SimulatedDisk', simulated);

diskContract('SimulatedDisk after a power cycle', async () => {
  const { disk, root } = await simulated();
  return { disk: disk.powerCycle(), root, [Symbol.asyncDispose]: nothing };
});

diskContract('FaultyDisk without faults', async () => {
  const { disk, root } = await simulated();
  return { disk: new FaultyDisk(disk), root, [Symbol.asyncDispose]: nothing };
});

async function simulated(): Promise<DiskUnderTest & { readonly disk: SimulatedDisk }> {
  const disk = new SimulatedDisk();
  await disk.makeDir('/root');
  return { disk, root: '/root', [Symbol.asyncDispose]: nothing };
}

async function nothing(): Promise<void> {
  // What is in memory goes by itself.
}
