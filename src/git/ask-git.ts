import { join } from 'node:path';
import { UsageError } from '../base/index.ts';
import type { Git } from './git.ts';
import { isObjectId, type ObjectId } from './object-id.ts';

/** What a repository is set to, as far as we need it. */
export interface RepositorySettings {
  /** Who the user is, as far as git was told. */
  readonly name?: string;
  readonly email?: string;
  /** `user.useConfigOnly`: whoever was not told to git is nobody. */
  readonly isConfigOnly: boolean;
  readonly remotes: readonly Remote[];
}

export interface Remote {
  readonly name: string;
  readonly url: string;
  /** A partial clone asks it for objects that are not here. */
  readonly isPromisor: boolean;
}

/** All of it in one process. */
export async function settingsOf(git: Git): Promise<RepositorySettings> {
  const keys = '^(user\\.(name|email|useconfigonly)|remote\\..*\\.(url|promisor))$';
  const { stdout } = await git.run(['config', '--null', '--get-regexp', keys], { expects: [1] });
  const values = new Map<string, string>();
  for (const line of stdout.toString('utf8').split('\0')) {
    const at = line.indexOf('\n');
    if (at > 0) values.set(line.slice(0, at), line.slice(at + 1));
  }
  const remotes = [...values].flatMap(([key, url]) => {
    const name = /^remote\.(.*)\.url$/s.exec(key)?.[1];
    if (name === undefined) return [];
    return [{ name, url, isPromisor: values.get(`remote.${name}.promisor`) === 'true' }];
  });
  const [name, email] = [values.get('user.name'), values.get('user.email')];
  const isConfigOnly = /^(true|yes|on|1)$/i.test(values.get('user.useconfigonly') ?? '');
  return { ...(name ? { name } : {}), ...(email ? { email } : {}), isConfigOnly, remotes };
}

/** Refuses what cannot be the name of a branch, before git is asked to make it. */
export async function checkBranchName(git: Git, name: string): Promise<void> {
  const { exitCode } = await git.run(['check-ref-format', `refs/heads/${name}`], { expects: [1] });
  if (exitCode === 0 && !name.startsWith('-') && name !== 'HEAD' && name !== '@') return;
  throw new UsageError({
    code: 'E_BRANCH_NAME',
    message: `"${name}" cannot be the name of a branch.`,
    hint: 'Give another with --branch; "git help check-ref-format" says what is allowed.',
  });
}

/** The refs that match any of some patterns: branches before what was fetched. */
export async function refsLike(git: Git, patterns: readonly string[]): Promise<readonly string[]> {
  const found = await git.text(['for-each-ref', '--format=%(refname)', ...patterns]);
  return found.split('\n').filter((line) => line !== '');
}

/** The last commit that changed a path; undefined when that is before the history that is here begins. */
export async function commitOfPath(git: Git, ref: string, path: string): Promise<ObjectId | undefined> {
  const text = await git.text(['rev-list', '-1', ref, '--', path]);
  const shallow = await git.disk.read(join(git.dir, 'shallow'));
  const isCutOff = shallow && Buffer.from(shallow).toString('latin1').includes(text);
  return text === '' || isCutOff ? undefined : (text as ObjectId);
}

/** Whether everything that `old` holds is part of the history of `young`. */
export async function isAncestor(git: Git, old: ObjectId, young: ObjectId): Promise<boolean> {
  if (old === young) return true;
  const { exitCode } = await git.run(['merge-base', '--is-ancestor', old, young], { expects: [1] });
  return exitCode === 0;
}

/** The objects that are here and whose ids begin with some hex digits; a branch of such a name is none. Nothing is fetched for it. */
export async function objectsLike(git: Git, digits: string): Promise<readonly ObjectId[]> {
  const found = await git.text(['rev-parse', `--disambiguate=${digits}`]);
  return found.split('\n').filter(isObjectId);
}

/** Moves a ref, provided that it is where it is said to be (undefined: nowhere). False when it is not. */
export async function moveRef(
  git: Git,
  { ref, from, to }: { readonly ref: string; readonly from: ObjectId | undefined; readonly to: ObjectId },
): Promise<boolean> {
  const args = ['update-ref', ref, to, from ?? '0'.repeat(to.length)];
  const { exitCode } = await git.run(args, { expects: [128, 1] });
  return exitCode === 0;
}

export interface RepositoryFacts {
  readonly version: string;
  readonly isShallow: boolean;
  readonly objectFormat: string;
}

/** What is worth knowing of a repository when something is slow or odd. */
export async function factsOf(git: Git): Promise<RepositoryFacts> {
  const version = (await git.text(['version'])).replace(/^git version /, '');
  const text = await git.text(['rev-parse', '--is-shallow-repository', '--show-object-format']);
  const [isShallow, objectFormat = 'sha1'] = text.split('\n');
  return { version, isShallow: isShallow === 'true', objectFormat };
}
