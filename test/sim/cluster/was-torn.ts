import type { JobId } from '../../../src/cluster/index.ts';
import type { Simulated } from './simulate.ts';

/** A record of one of its leases was damaged, if only for a while. */
export function wasTorn({ torn }: Pick<Simulated, 'torn'>, job: JobId): boolean {
  return [...torn.keys()].some((key) => key.includes(`/${job}.`));
}
