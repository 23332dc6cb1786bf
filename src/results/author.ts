import { hostname, userInfo } from 'node:os';
import { UsageError } from '../base/index.ts';
import type { Author, GitPorts, RepositorySettings } from '../git/index.ts';

export interface Whoever {
  readonly user: string;
  readonly host: string;
}

export function whoRunsThis(): Whoever {
  return { user: userName(), host: hostname() };
}

/**
 * As git knows the user, from the environment or its settings; where it does not, by who runs this, so that nobody has to set anything
 * up, unless git is told not to guess.
 */
export function authorOf(env: GitPorts['env'], settings: RepositorySettings, by: Whoever): Author {
  const name = env.GIT_AUTHOR_NAME || settings.name;
  const email = env.GIT_AUTHOR_EMAIL || settings.email;
  if (settings.isConfigOnly && (name === undefined || email === undefined))
    throw new UsageError({
      code: 'E_NO_IDENTITY',
      message: 'Git does not know who you are, and is told to guess nobody (user.useConfigOnly).',
      hint: 'Run "git config user.name …" and "git config user.email …", then do it again: nothing was lost.',
    });
  return { name: name ?? by.user, email: email ?? `${by.user}@${by.host}` };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // In a container the user may have no name at all.
    if (!(error instanceof Error)) throw error;
    return 'unknown';
  }
}
