// The program that works on files inside of a container, as the person's account: a loop of /bin/sh that needs nothing but
// the usual small programs (stat, dd, mkdir, mv, …) of busybox, toybox or the GNU tools. Nothing is left in the container.
//
// It prints its number, then reads a mark that nobody else knows, then one command per line: a call of a function below.
// Each answers with its output, which may be any bytes, and a line of the mark and the exit status. A command that begins
// with `+` has the loop's own input: the data that follows the line. Outputs and errors are one stream, in order.

/** Names of one call of stat: a process for each would make large directories slow. */
const AT_ONCE = 64
/** Mode, links, owner, group, size, and times of reading and of change. */
const FORMAT = '%f %h %u %g %s %X %Y'
const some = Array.from({ length: AT_ONCE }, (_, index) => `"\${${index + 1}-}"`).join(' ')

export const FILES_SCRIPT = `LC_ALL=C TZ=UTC0
export LC_ALL TZ
unset CDPATH
exec 2>&1
mask=$(umask)
fds=/proc/$$/fd
for needed in stat dd; do
  command -v "$needed" >/dev/null || { echo "lacks $needed"; exit 1; }
done
full=
case $(printf abc | dd bs=2 count=1 iflag=fullblock 2>/dev/null) in ab) full=iflag=fullblock ;; esac
exact=
case $(mv -fT /dev/null/1 /dev/null/2 2>&1) in *option*) ;; *) exact=T ;; esac
say() { echo "$1"; return 1; }
is() { [ -e "$1" ] || [ -L "$1" ]; }
needs() { is "$1" || stat "$1" >/dev/null; }
free() { ! is "$1" || say 'File exists'; }
file() { [ -e "$fds/$1" ] && name=$fds/$1 || name=$2; }
# how path (-L follows a link)
attributes() { stat $1 -c '${FORMAT}' "$2"; }
# fd path
held() { file "$1" "$2"; attributes -L "$name"; }
# fd operator is-created mode path
open() {
  new=
  if is "$5"; then
    [ ! -d "$5" ] || [ "$2" = '<' ] || say 'Is a directory' || return
  else
    [ "$3" ] || needs "$5" || return
    new=1
  fi
  umask "$(printf %o $((0$mask | (0777 & ~0$4))))"
  case $2 in
    x) set -C; command eval "exec $1>\\"\\$5\\""; code=$?; set +C ;;
    +) command eval "exec $1>\\"\\$5\\"" && command eval "exec $1<>\\"\\$5\\""; code=$? ;;
    *) command eval "exec $1$2\\"\\$5\\""; code=$? ;;
  esac
  umask "$mask"
  if [ "$code" = 0 ] && [ "$new" ] && [ $((0$4 & 0111)) != 0 ]; then
    chmod "$(printf %o $((0$4 & ~0$mask)))" "$5"
  fi
  return "$code"
}
close() { eval "exec $1<&-"; }
# fd path block-size skipped-blocks blocks
get() { file "$1" "$2"; dd if="$name" bs="$3" skip="$4" count="$5" $full 2>/dev/null; }
# bytes: all of them are taken, whatever becomes of them
take() { if [ "$full" ]; then dd bs="$1" count=1 "$full" conv=notrunc; else dd bs=1 count="$1" 2>/dev/null; fi; }
rest() { code=$?; cat >/dev/null; return $code; }
# fd bytes skipped-bytes: where the last one ended
put() {
  [ "$3" = 0 ] || dd if=/dev/null bs=1 seek="$3" count=0 conv=notrunc >&"$1" || { take "$2" >/dev/null; return 1; }
  if [ "$full" ]; then take "$2" >&"$1"; else take "$2" | { cat >&"$1"; rest; }; fi
}
# fd path bytes block-size skipped-blocks
put_at() {
  file "$1" "$2"
  take "$3" 2>/dev/null | { dd of="$name" ibs="$3" obs="$4" seek="$5" conv=notrunc; rest; }
}
flush() { file "$1" "$2"; dd if=/dev/null of="$name" conv=notrunc,fsync; }
list() {
  folder=$1
  needs "$folder" || return
  [ -d "$folder" ] || say 'Not a directory' || return
  [ -r "$folder" ] && [ -x "$folder" ] || say 'Permission denied' || return
  (
    cd "$folder" || exit
    set -- ./. ./.. ./.* ./*
    while [ $# -gt 0 ]; do
      stat -c '${FORMAT} %n/' ${some} 2>/dev/null
      if [ $# -gt ${AT_ONCE} ]; then shift ${AT_ONCE}; else shift $#; fi
    done
  )
  return 0
}
drop() {
  needs "$1" || return
  { [ -L "$1" ] || [ ! -d "$1" ]; } || say 'Is a directory' || return
  rm -f "$1"
}
# mode path
folder() { umask "$(printf %o $((0$mask | (0777 & ~0$1))))"; mkdir "$2"; code=$?; umask "$mask"; return $code; }
# from to; replaces what is there
move() {
  needs "$1" || return
  # The one of busybox takes a link to a folder for the folder.
  [ "$exact" ] && mv -fT "$1" "$2" 2>/dev/null && return
  if [ -L "$2" ]; then rm -f "$2" || return
  elif [ -d "$2" ]; then
    [ -d "$1" ] && [ ! -L "$1" ] || say 'Is a directory' || return
    rmdir "$2" || return
  fi
  mv -f "$1" "$2"
}
move_new() { needs "$1" && free "$2" && move "$1" "$2"; }
# target path
symlink() { free "$2" && ln -s -- "$1" "$2"; }
hardlink() { needs "$1" && free "$2" && ln "$1" "$2"; }
target() { needs "$1" && readlink "$1"; }
canonical() { readlink -f "$1" || { stat "$1" >/dev/null; return 1; }; }
# bytes path
size() { needs "$2" && { [ ! -d "$2" ] || say 'Is a directory'; } && dd if=/dev/null of="$2" bs=1 seek="$1" count=0; }
mode() { needs "$2" && chmod "$1" "$2"; }
# -h or nothing, uid:gid path
owner() { needs "$3" && chown $1 "$2" "$3"; }
# -h or nothing, accessed modified path
dates() {
  needs "$4" && touch -c $1 -t "$3" "$4" || return
  [ "$2" = "$3" ] || touch -c $1 -a -t "$2" "$4" 2>/dev/null || :
}
system() { stat -f -c '%S %b %f %a %c %d %i %l' "$1"; }
echo "$$"
IFS= read -r mark || exit 0
while IFS= read -r line; do
  case $line in +*) eval "\${line#+}" ;; *) eval "$line" </dev/null ;; esac
  printf '\\n%s %d\\n' "$mark" "$?"
done`

/** @returns the bytes as one word of the shell, with its preparation; bytes that are not plain are written as numbers */
export function wordOf(bytes: Buffer, variable: string): { readonly before: string; readonly word: string } {
  const text = bytes.toString('latin1')
  if (/^[ -~]*$/.test(text)) return { before: '', word: `'${text.replaceAll("'", "'\\''")}'` }
  // The shell drops line ends at the end of an output.
  const numbers = Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  return { before: `${variable}=$(printf '${numbers}.');${variable}=\${${variable}%.};`, word: `"$${variable}"` }
}
