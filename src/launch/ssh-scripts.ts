/**
 * The scripts that start and stop a worker on a host. They come over stdin: nothing of them is seen in a list of processes. All is inside a
 * function that the last line calls, so that half a script does nothing.
 */
import { quoteWord } from '../process/index.ts';

export interface HostWorker {
  readonly label: string;
  /** Which of the hosts of the launch, 1 for the first: hosts may share their home folder. */
  readonly at: number;
}

export interface HostStart extends HostWorker {
  /** What the shell is to run. */
  readonly commandLine: string;
  readonly dir?: string | undefined;
  /** The lines of a file with keys that goes when the worker does. */
  readonly envText?: string | undefined;
}

const END_OF_RUN = 'HOLDFAST_END_OF_RUN';
export const END_OF_ENV = 'HOLDFAST_END_OF_ENV';

/** A path as the shell of a host reads it: `~/` is the home folder there. */
export function hostPath(path: string): string {
  if (path === '~') return '"$HOME"';
  return path.startsWith('~/') ? `"$HOME"/${quoteWord(path.slice(2))}` : quoteWord(path);
}

/** The copy of the keys on the host. */
export const COPIED_ENV = '"$state"/env';

/**
 * ### Ordering
 * The worker's shell writes its pid before it looks whether it was stopped, and whoever stops says so before looking for the pid: one of them
 * sees the other.
 */
export function startScript(start: HostStart): string {
  return `main() {
umask 077
${stateOf(start)}
mkdir -p "$state" || exit 1
if [ -e "$state/stopped" ]; then echo 'it was stopped before it was started' >&2; exit 3; fi
# Whoever comes second starts nothing.
mkdir "$state/started" 2>/dev/null || exit 0
${copyOfEnv(start)}cat > "$state/run" <<'${END_OF_RUN}' || exit 1
${runScript(start)}${END_OF_RUN}
export HOLDFAST_LAUNCHED=${markOf(start)}
if command -v setsid >/dev/null 2>&1; then
  setsid sh "$state/run" </dev/null >"$state/log" 2>&1 &
else
  set -m
  sh "$state/run" </dev/null >"$state/log" 2>&1 &
fi
# What cannot be started ends at once: said now, not by a host that stays idle.
tries=0
while [ ! -e "$state/pid" ] && [ "$tries" -lt 10 ]; do sleep 1; tries=$((tries + 1)); done
sleep 1
if [ -e "$state/ended" ] && [ "$(cat "$state/ended")" != 0 ]; then tail -n 5 "$state/log" >&2; exit 1; fi
exit 0
}
main
`;
}

/** SIGTERM to the worker and its group, SIGKILL to all that carries its mark after the grace. May be run again, and before the start. */
export function stopScript(about: HostWorker, graceSeconds: number): string {
  return `main() {
umask 077
${stateOf(about)}
mark=HOLDFAST_LAUNCHED=${markOf(about)}
mkdir -p "$state" && : > "$state/stopped" || exit 1
told=' '
known=
waited=0
while :; do
  found=$(labelled)
  [ -n "$found" ] || break
  known=$found
  for pid in $found; do
    if [ "$waited" -ge ${graceSeconds} ]; then
      kill -KILL "$pid" 2>/dev/null
    elif of_worker "$pid"; then
      case "$told" in *" $pid "*) ;; *) kill -TERM "$pid" 2>/dev/null; told="$told$pid ";; esac
    fi
  done
  if [ "$waited" -gt $((${graceSeconds} + 10)) ]; then echo "still running:" $found >&2; exit 1; fi
  sleep 1
  waited=$((waited + 1))
done
rm -f "$state/env" "$state/env.part"
exit 0
}
# All that the worker started carries the mark. Without /proc, as on macOS, ps shows it (-E), or else the shell that runs the
# worker is found by its command line, and the others by their parents and their group.
labelled() {
  if [ -r /proc/self/environ ]; then
    grep -lsF "$mark" /proc/[0-9]*/environ | tr -cd '0-9\\n'
  else
    { ps -A -E -ww -o pid= -o ppid= -o pgid= -o stat= -o command= 2>/dev/null ||
      ps -A -o pid= -o ppid= -o pgid= -o stat= -o command=; } |
      MARK="\${mark#*=}" KNOWN="$known" awk '
        BEGIN { count = split(ENVIRON["KNOWN"], pids); for (i = 1; i <= count; i++) meant[pids[i]] = 1 }
        $4 ~ /^Z/ { next }
        { parent[$1] = $2; group[$1] = $3 }
        index($0, "HOLDFAST_LAUNCHED=" ENVIRON["MARK"]) || index($0, "/launched/" ENVIRON["MARK"] "/run") { meant[$1] = 1 }
        END {
          for (more = 1; more; ) {
            more = 0
            for (pid in parent)
              if (!(pid in meant) && ((parent[pid] in meant) || (group[pid] in meant))) { meant[pid] = 1; more = 1 }
          }
          for (pid in parent) if (pid in meant) print pid
        }'
  fi
}
# What the worker runs in groups of its own is the worker's to end, until the grace is over.
of_worker() {
  leader=$(cat "$state/pid" 2>/dev/null) || return 0
  if [ -r /proc/self/stat ]; then
    group=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f3)
  else
    group=$(ps -o pgid= -p "$1" | tr -cd '0-9')
  fi
  [ "$group" = "$leader" ]
}
main
`;
}

/** Outlives the worker, so that the keys go with it whatever became of it. */
function runScript(start: HostStart): string {
  const { dir, commandLine } = start;
  return `${stateOf(start)}
trap 'code=$?; rm -f "$state/env"; echo "$code" > "$state/ended"' EXIT
trap : TERM INT HUP
echo $$ > "$state/pid.part" && mv "$state/pid.part" "$state/pid" || exit 1
[ ! -e "$state/stopped" ] || exit 0
${dir === undefined ? 'cd' : `cd ${hostPath(dir)}`} || exit 1
${commandLine}
`;
}

/** Whole or not there: what a cut connection left is not used. */
function copyOfEnv({ envText }: HostStart): string {
  if (envText === undefined) return '';
  return `trap 'rm -f "$state/env.part"' EXIT
cat > "$state/env.part" <<'${END_OF_ENV}' && mv "$state/env.part" "$state/env" || exit 1
${envText}${END_OF_ENV}
`;
}

function stateOf(about: HostWorker): string {
  return `state="$HOME/.holdfast/launched/${markOf(about)}"`;
}

/** Padded, so that none is the beginning of another. */
function markOf({ label, at }: HostWorker): string {
  return `${label}.${String(at).padStart(4, '0')}`;
}
