import { createFile, type Disk } from '../disk/index.ts';
import { textOf } from '../evals/index.ts';
import type { ChatMessage, ModelOutput, Score } from '../log/index.ts';
import { OUTPUT_BYTES_MAX, type TargetResult, type Workspace } from '../targets/index.ts';

/** An agent's output that was cut already is a little longer than the limit: a line in it names the file with all of it. */
const CUT_NOTE_CHARS_MAX = 64 * 2 ** 10;
/** Scores are shown in lists: an answer that a scorer quotes needs not be whole. */
const QUOTE_CHARS_MAX = 2 ** 20;

/**
 * An output of hundreds of megabytes does not fit into a log that viewers can open. Scorers have seen it whole; the log
 * gets its beginning and its end, and the whole text goes to a file among the sample's evidence.
 */
export async function fitResult(
  result: TargetResult,
  disk: Disk,
  workspace: Workspace,
): Promise<TargetResult> {
  if (!isTooLong(result)) return result;
  const { stdout: path } = await workspace.outputFiles('output');
  await createFile(disk, path, Buffer.from(textOf(result.output)));
  const shorten = (text: string) => cutMiddle(text, OUTPUT_BYTES_MAX, `the whole text is in ${path}`);
  return {
    ...result,
    messages: result.messages.map((message) => fitMessage(message, shorten)),
    modelOutput: fitOutput(result.modelOutput, shorten),
  };
}

export function fitScore(score: Score): Score {
  const shorten = (text: string) => cutMiddle(text, QUOTE_CHARS_MAX, 'cut by Holdfast');
  return {
    ...score,
    ...(score.answer === undefined ? {} : { answer: shorten(score.answer) }),
    ...(score.explanation === undefined ? {} : { explanation: shorten(score.explanation) }),
  };
}

function isTooLong({ messages, modelOutput }: TargetResult): boolean {
  const texts = [modelOutput.completion, ...messages.map(({ content }) => content)];
  return texts.some(
    (text) => typeof text === 'string' && text.length > OUTPUT_BYTES_MAX + CUT_NOTE_CHARS_MAX,
  );
}

function fitMessage(message: ChatMessage, shorten: (text: string) => string): ChatMessage {
  return typeof message.content === 'string' ? { ...message, content: shorten(message.content) } : message;
}

function fitOutput(output: ModelOutput, shorten: (text: string) => string): ModelOutput {
  return {
    ...output,
    choices: output.choices.map((choice) => ({ ...choice, message: fitMessage(choice.message, shorten) })),
    ...(output.completion === undefined ? {} : { completion: shorten(output.completion) }),
  };
}

function cutMiddle(text: string, charsMax: number, note: string): string {
  if (text.length <= charsMax) return text;
  const half = Math.floor(charsMax / 2);
  const leftOut = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${leftOut} characters left out; ${note} …]\n${text.slice(-half)}`;
}
