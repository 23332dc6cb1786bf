/** An error as the system gives it, for disks that are not real. */
export function systemError(errno: string, path: string): Error {
  return Object.assign(new Error(`${errno}: ${path}`), { code: errno, path });
}
