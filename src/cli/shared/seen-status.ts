import { systemRandom } from '../../base/index.ts';
import {
  type RunStatus,
  type SharedPlace,
  type SharedRun,
  seeWorkers,
  statusOf,
} from '../../cluster/index.ts';

/** How far a run is by what was read of it, and by who lives now. */
export async function seenStatus(shared: SharedRun, place: SharedPlace): Promise<RunStatus> {
  return statusOf(shared, await seeWorkers(place, { random: systemRandom }));
}
