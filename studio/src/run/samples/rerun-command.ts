import type { RunView } from '../../../../src/server/api.ts';
import { shellWord } from '../../../../src/views/index.ts';

/** The command that runs just these samples again, where the run says which file it was made from. */
export function rerunCommand({ config, model, item }: RunView, ids: readonly string[]): string | undefined {
  const file = config.find(({ group, key }) => group === 'eval' && key === 'file')?.value;
  if (typeof file !== 'string' || item.form === 'agentv') return undefined;
  // An epoch cannot be run alone: its sample is.
  const samples = [...new Set(ids.map((id) => id.replace(/@\d+$/, '')))];
  return `holdfast run ${shellWord(file)} --model ${shellWord(model)} --id ${samples.map(shellWord).join(' ')}`;
}
