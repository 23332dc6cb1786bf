/** Imports nothing of ours: it is loaded first, and what takes long to load comes after it. */
import process from 'node:process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type OnSignal = (signal: string) => void;

/** What the first signal ends a command with that has begun nothing yet, as its help says. All others die of it, as programs do. */
const EXIT_WHEN_STOPPED: ReadonlyMap<string, number> = new Map([
  // To be told to go is how a worker ends.
  ['worker', 0],
  ...['run', 'retry', 'score', 'submit'].map((word) => [word, 4] as const),
  ...['wait', 'fetch', 'logs', 'resume'].map((word) => [`runs ${word}`, 4] as const),
  ...['build', 'merge', 'pull', 'push'].map((word) => [`artifacts ${word}`, 4] as const),
  ['launch stop', 4],
]);
/** Processes that one of ours has started: signals reach the whole group, and are the business of that one. */
const CHILD_WORDS = ['--session', '--worker-session'];

const listening = new Set<OnSignal>();
let guard: OnSignal | undefined;
let unheard = 0;
let hasListened = false;

/**
 * Lets signals that come before a command can end in order, while its modules are loaded, end it as its help says; and those that come when it
 * has done so already. Nothing is left of it: nothing was begun.
 */
export function guardSignals(argv: readonly string[], end: (exitCode: number) => void = process.exit): void {
  const [first = '', second = ''] = argv.filter((word) => !word.startsWith('-'));
  const exitCode = EXIT_WHEN_STOPPED.get(`${first} ${second}`) ?? EXIT_WHEN_STOPPED.get(first);
  if (exitCode === undefined) return;
  quietly(() => {
    guard = CHILD_WORDS.some((word) => argv.includes(word))
      ? () => undefined
      : (signal) => {
          if (!hasListened) sayStopped(signal, { exitCode, isJson: argv.includes('--json') });
          end(exitCode);
        };
  });
}

/** Whoever listens is told of each signal, in the place of the guard. */
export function listenToSignals(onSignal: OnSignal): Disposable {
  hasListened = true;
  quietly(() => listening.add(onSignal));
  return { [Symbol.dispose]: () => quietly(() => listening.delete(onSignal)) };
}

/** Lets nobody hear signals until it is disposed of: the first one ends the process. */
export function hearNothing(): Disposable {
  quietly(() => unheard++);
  return { [Symbol.dispose]: () => quietly(() => unheard--) };
}

/** Who hears, as things are. */
function hearing(): readonly OnSignal[] {
  if (unheard > 0) return [];
  if (listening.size > 0) return [...listening];
  return guard ? [guard] : [];
}

/** Changes who hears. New ones come before old ones go: there is no moment at which a signal ends the process for want of any. */
function quietly(change: () => void): void {
  const before = hearing();
  change();
  const after = hearing();
  for (const signal of SIGNALS) {
    for (const one of after) if (!before.includes(one)) process.on(signal, one);
    for (const one of before) if (!after.includes(one)) process.off(signal, one);
  }
}

/** Kept before anybody else takes stdout away. */
const writeOut = process.stdout.write.bind(process.stdout);

function sayStopped(
  signal: string,
  { exitCode, isJson }: { readonly exitCode: number; readonly isJson: boolean },
): void {
  const message = `Stopped by ${signal} before anything was begun.`;
  const error = { code: 'E_INTERRUPTED', message, hint: 'Run the same command again.', retryable: true };
  if (isJson) writeOut(`${JSON.stringify({ exitCode, error })}\n`);
  process.stderr.write(`${message}\n`);
}
