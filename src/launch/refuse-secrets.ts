import { launchErrors } from './launch-errors.ts';
import type { Step } from './launch-records.ts';
import { type LaunchAsked, type LaunchPlan, planLaunch } from './plan-launch.ts';

/** Shorter ones are found in anything: they say nothing. */
const SECRET_LENGTH_MIN = 6;

/** The plan of a launch in which nobody can see a key or a password: not in a command line, a manifest, a script or the record. */
export function planWithoutSecrets(asked: LaunchAsked, n: number, template: string): LaunchPlan {
  const { secrets = {} } = asked;
  // What is sent to hosts for the workers alone is left out of what is searched.
  const seen = planLaunch({ ...asked, secrets: undefined }, n, template);
  for (const word of asked.argv)
    if (/^[a-z][\w+.-]*:\/\/[^/\s]*:[^/\s]*@/i.test(word))
      throw launchErrors.secret('a password', 'the command line of the workers');
  for (const [name, value] of Object.entries(secrets)) {
    const isIn = (step: Step) => value.length >= SECRET_LENGTH_MIN && textOf(step).includes(value);
    const step = [...seen.start, ...seen.about.stop].find(isIn);
    if (step) throw launchErrors.secret(`the value of ${name}`, step.about);
  }
  return planLaunch(asked, n, template);
}

/** What a program says again is not passed on with a secret in it. */
export function withoutSecrets(text: string, secrets: LaunchAsked['secrets'] = {}): string {
  return Object.values(secrets)
    .filter((value) => value.length >= SECRET_LENGTH_MIN)
    .reduce((kept, value) => kept.replaceAll(value, '…'), text);
}

function textOf({ about, argv, stdin = '' }: Step): string {
  return [about, ...argv, stdin].join('\n');
}
