import type { RunView } from '../../../../src/server/api.ts';

/** Of all commands those that go on with the run. */
export function finishingCommands(commands: RunView['commands']): RunView['commands'] {
  return commands.filter(({ command }) => /^holdfast (run|retry|recover|score)\b/.test(command));
}

export function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}
