/**
 * With `--json`, stdout belongs to the one document: what anybody else writes there (an eval's `console.log` while its
 * file is loaded, a library's `process.stdout.write`) goes to stderr. The terminal was opened before and keeps its own
 * way; there is no way back, since timers of an eval may outlive its command.
 */
export function ownStdout({
  stdout,
  stderr,
}: {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}): void {
  stdout.write = stderr.write.bind(stderr);
}
