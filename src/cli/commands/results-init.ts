import { Option } from 'commander';
import { type CommandCall, defineCommand } from '../command.ts';
import {
  type ResultsSettings,
  saveResultsSettings,
  settingLines,
  settingsToSave,
} from '../config/save-config.ts';
import { withoutPassword } from '../config/without-password.ts';
import { EXIT } from '../exit-code.ts';
import { isRemote } from '../results/repo-name.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';
import { shortPath } from '../short-path.ts';

interface InitFlags extends ResultsFlags {
  readonly save?: true;
}

export const command = defineCommand<InitFlags>({
  summary: 'Begin to keep results in git',
  description: `Makes the branch in which results are kept: an orphan branch of the repository of this folder, or of another with --repo.
From then on finished runs are published there by themselves. A repository elsewhere (a URL) is cloned bare below your own data, never into a
project. Your files, your index and the branch that is checked out are never touched.`,
  options: [
    ...resultsOptions(),
    new Option('--save', 'write what was given into the holdfast.config file, so that runs know of it'),
  ],
  examples: [
    ['holdfast results init', 'in the repository of this folder'],
    ['holdfast results init --repo ../results --save', 'in another one, and let runs know'],
    ['holdfast results init --repo git@example.com:team/results.git --save', 'in one that a team shares'],
  ],
  exits: {
    0: 'begun, or there already',
    1: 'git failed, or the remote cannot be reached',
    2: 'there is no repository, or the branch holds something else, or the settings cannot be written',
  },
  async run(call) {
    const { flags, terminal } = call;
    const wanted = await settingsToSave(flags, call);
    const save = flags.save ? await saveResultsSettings(wanted, call) : undefined;
    const { repository, branch, isNew } = await begin(call);
    const saved = await save?.();
    const unsaved = saved === undefined ? wanted : {};
    if (flags.json) {
      terminal.json({ repository, branch, isNew, saved: saved ?? null, settings: { ...unsaved } });
      return EXIT.ok;
    }
    const where =
      flags.repo !== undefined && isRemote(flags.repo) ? ` (a clone of ${withoutPassword(flags.repo)})` : '';
    terminal.line(
      `${isNew ? 'Results are kept' : 'Results are kept already'} in the branch ${branch} of ${repository}${where}`,
    );
    if (saved !== undefined) terminal.line(`Runs know of it by ${shortPath(saved, terminal.cwd)}.`);
    sayUnsaved(unsaved, call);
    return EXIT.ok;
  },
});

async function begin({ flags, terminal }: CommandCall<InitFlags>) {
  await using results = await resultsOf(flags, terminal);
  // One that is named must be there.
  await results.remote();
  const isNew = await results.init();
  return { repository: results.dir, branch: results.ref.replace('refs/heads/', ''), isNew };
}

function sayUnsaved(wanted: ResultsSettings, { terminal }: CommandCall<InitFlags>): void {
  if (Object.keys(wanted).length === 0) return;
  terminal.line(
    'For runs to publish there, put this into holdfast.config.yaml, or say it again with --save:',
  );
  for (const line of settingLines(wanted)) terminal.line(`  ${line}`);
}
