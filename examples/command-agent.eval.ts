/** A command-line agent: each sample works in its own copy of a folder, and a command checks what is there afterwards. */
import { command, defineEval, includes } from 'holdfast';

export default defineEval({
  name: 'command-agent',
  data: [
    { id: 'sorted', input: 'Sort words.txt into a file called sorted.txt', target: 'Sorted 3 words' },
    { id: 'other', input: 'Sort words.txt into a file called other.txt', target: 'Sorted 3 words' },
  ],
  target: { command: ['node', 'agent.mjs'], workspace: 'command-agent' },
  scorers: [includes(), command({ command: ['test', '-s', 'sorted.txt'] })],
  limits: { timeMs: 30_000 },
});
