import { createHash } from 'node:crypto';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, makeDirectory, PRIVATE_DIRECTORY, temporaryName } from '../platform/files.ts';

/**
 * Owns one agent and outlives its supervisor. POSIX sh, started in a session of its own; Linux is proved.
 *
 * Only builtins stand between its start and the agent's first instruction, because each program costs 0.8 ms: that is
 * why `claim` is a file made with O_EXCL (`set -C`) and why `id` and `exit` are one short write ended by a newline, which
 * readers check, instead of a directory and renames.
 *
 * - Without arguments it was started in advance. It waits for a line and takes its directory, its environment and its
 *   arguments from a file without a name, while its files are laid out; at the next line they are. When its input ends
 *   before that, nobody will tell it anything, and it ends too. The claim has been made for it, whole, because it carries
 *   no mark of its run by which an unfinished one could be known for its own. And it is told when it was born: the shell
 *   reads byte by byte, and half a millisecond is spent on asking.
 * - The agent is a foreground child: the shell would start a background one with SIGINT and SIGQUIT ignored. Traps with
 *   a command are not inherited, so the agent has every signal at its default.
 * - The child writes `id` before it becomes the agent: where there is no `id`, no instruction of the agent ever ran.
 * - The agent shares the shim's session and group. A TERM to the group reaches the agent and all its plain children in
 *   one step, and the shim's traps let it live to write `exit`; a session of its own would cost another program.
 * - The pump ignores that TERM, so that an agent asked to end still has its input. USR1 ends the pump: end of input.
 * - What the shell itself says goes to the end of `claim`: one file less to make.
 * - Nothing is substituted or piped: each would reap children, and a reaped pid may belong to a stranger.
 * - When a process began is its 22nd word, counted from the front: it is asked of `sh` and `tail` alone, whose names have
 *   no spaces.
 * - Variables begin with `f_`: assigning to a name that came with the environment would change it for the agent.
 */
const text = `#!/bin/sh
# DIR oneway|twoway BOOT CGROUP COMMAND…
f_start= f_claimed=
if [ $# = 0 ]; then
  read -r f_ && . /proc/self/fd/3 && read -r f_ || exit 0
  exec < /dev/null 3<&-
  unset f_ FLEET_SHIM_MARK
fi
f_dir=$1 f_mode=$2 f_boot=$3 f_cgroup=$4
shift 4
trap : TERM INT HUP QUIT USR1 USR2 ALRM

f_born() { set -f; set -- $1; f_start=\${22}; set +f; }
[ -n "$f_start" ] || { read -r f_stat < /proc/self/stat; f_born "$f_stat"; }
f_shim="$$ $f_start"

if [ -z "$f_claimed" ]; then
  set -C
  { printf '%s\\n' "shim $f_shim $f_boot"; } 2>/dev/null > "$f_dir/claim" || exit 0
  set +C
fi
exec 2>> "$f_dir/claim"

# The disk may be full of what the agent wrote. Whoever makes room gets the fact.
f_end() {
  until printf '%s\\n' "$1 $2 $3" > "$f_dir/exit"; do
    [ -d "$f_dir" ] && [ ! -d "$f_dir/exit" ] || exit 1
    PATH=$f_tools sleep 1
  done 2>/dev/null
  exit 0
}

f_input=/dev/null f_pump='- -' f_tools=/usr/bin:/bin:$PATH
if [ "$f_mode" = twoway ]; then
  f_input=$f_dir/pipe
  PATH=$f_tools mkfifo -m 600 "$f_input" || f_end 125 - 'no input pipe'
  (trap '' TERM INT HUP; PATH=$f_tools; exec tail -c +1 -f "$f_dir/in") > "$f_input" 2>/dev/null &
  read -r f_stat < "/proc/$!/stat"
  f_born "$f_stat"
  f_pump="$! $f_start"
fi

(
  read -r f_stat < /proc/self/stat
  f_born "$f_stat"
  [ -z "$f_cgroup" ] || { echo 0 > "$f_cgroup/cgroup.procs"; } 2>/dev/null
  printf '%s\\n' "1 $f_shim \${f_stat%% *} $f_start $f_boot $f_pump" > "$f_dir/id" || exit 125
  trap 'echo refused >> "$f_dir/claim"' EXIT
  # A directory on the path that may not be read makes the shell say "Permission denied" of a name that is nowhere.
  case $1 in
    */*) ;;
    *) command -v "$1" > /dev/null || { echo "$0: 0: exec: $1: not found" >> "$f_dir/err"; exit 127; } ;;
  esac
  exec "$@" < "$f_input" >> "$f_dir/out" 2>> "$f_dir/err"
)
f_code=$?

# The shell says how a child died by a signal; one that exits with 137 leaves no note.
f_note= f_signal=-
{ read -r f_stat; read -r f_note; } < "$f_dir/claim"
[ -n "$f_note" ] && [ "$f_code" -gt 128 ] && f_signal=$((f_code - 128))

if [ "$f_mode" = twoway ]; then
  f_stat=
  { read -r f_stat < "/proc/\${f_pump% *}/stat"; } 2>/dev/null && f_born "$f_stat"
  [ -n "$f_stat" ] && [ "$f_start" = "\${f_pump#* }" ] && kill -KILL "\${f_pump% *}" && wait "\${f_pump% *}"
fi
f_end "$f_code" "$f_signal" "$f_note"
`;

/** Puts the shim where every version of Fleet can keep its own, and answers its path. */
export async function installShim(directory: string): Promise<string> {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const path = join(directory, `shim-${hash}.sh`);
  if (await exists(path)) return path;
  await makeDirectory(directory);
  const temporary = temporaryName(path);
  await writeFile(temporary, text, { flag: 'wx', flush: true });
  await chmod(temporary, PRIVATE_DIRECTORY);
  await rename(temporary, path);
  return path;
}
