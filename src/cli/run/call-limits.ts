import type { CallLimits } from '../../targets/index.ts';
import type { CommandCall } from '../command.ts';

/** What `limits` of the settings says: it was checked when they were read. */
export async function limitsOf(call: Pick<CommandCall, 'settings'>): Promise<CallLimits | undefined> {
  return (await call.settings()).get('limits').value as CallLimits | undefined;
}
