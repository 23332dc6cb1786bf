import { expect, test } from 'vitest';
import { captureConsole } from './capture-console.ts';

test('what evals write with console comes line by line, until it is given back', () => {
  const lines: string[] = [];
  const before = globalThis.console;
  const restore = captureConsole((line) => lines.push(line));
  globalThis.console.log('one\ntwo', { three: 3 });
  globalThis.console.error('four');
  restore();
  expect(lines).toEqual(['one', 'two { three: 3 }', 'four']);
  expect(globalThis.console).toBe(before);
});
