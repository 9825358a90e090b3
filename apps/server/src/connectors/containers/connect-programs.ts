// Programs that make a connection from inside of a container, with what an image happens to have: perl, python3, busybox's
// nc, bash, or another nc. Standard input and output are the connection; standard error carries lines for the server.
//
//   start PID      the process, whose group a signal ends
//   connected      the other side has accepted
//   eof COUNT      the other side sends no more; COUNT bytes came in all. Outputs arrive unordered among each other
//   reset          the connection has failed
//
// Any other line says why there is no connection. perl and python3 pass the end of each direction on by itself. With nc the
// end of the other side ends all; with bash the end of the input cannot be passed on either. TERM goes to the whole group:
// the programs then wait for their children, which the first process of a container rarely does.
import type { DialOpen } from '@bowline/link/stream-messages'

export type ConnectTarget = DialOpen['target']

const PERL = `use Socket qw(:DEFAULT getaddrinfo IPPROTO_TCP TCP_NODELAY);
my ($host, $port) = @ARGV;
my $why = "no address";
my $s;
if ($port eq "") {
  $why = socket($s, AF_UNIX, SOCK_STREAM, 0) && connect($s, sockaddr_un($host)) ? "" : "$!";
} else {
  my ($error, @found) = getaddrinfo($host, $port, {socktype => SOCK_STREAM});
  $why = "$error" if $error;
  for my $at (@found) {
    if (socket($s, $at->{family}, SOCK_STREAM, 0) && connect($s, $at->{addr})) { $why = ""; last }
    $why = "$!";
  }
}
die "$why\\n" if $why ne "";
setsockopt($s, IPPROTO_TCP, TCP_NODELAY, 1) if $port ne "";
syswrite STDERR, "connected\\n";
sub copy {
  my ($from, $to) = @_;
  my $all = 0;
  while (1) {
    my $count = sysread $from, my $bytes, 65536;
    return undef unless defined $count;
    return $all if $count == 0;
    for (my $done = 0; $done < $count;) {
      my $written = syswrite $to, $bytes, $count - $done, $done;
      return undef unless defined $written;
      $done += $written;
    }
    $all += $count;
  }
}
$SIG{PIPE} = "IGNORE";
my $child = fork;
die "$!\\n" unless defined $child;
if ($child == 0) { copy(*STDIN, $s); shutdown $s, 1; exit 0 }
$SIG{TERM} = sub { waitpid $child, 0; exit 1 };
my $all = copy($s, *STDOUT);
unless (defined $all) { syswrite STDERR, "reset\\n"; kill "KILL", $child; waitpid $child, 0; exit 1 }
syswrite STDERR, "eof $all\\n";
waitpid $child, 0;
`

const PYTHON = `import os, signal, socket, sys
host, port = sys.argv[1:3]
try:
  if port:
    s = socket.create_connection((host, int(port)))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
  else:
    s = socket.socket(socket.AF_UNIX)
    s.connect(host)
except OSError as error:
  sys.exit(error.strerror or str(error))
s.settimeout(None)
os.write(2, b"connected\\n")
def copy(source, to):
  count = 0
  while True:
    data = os.read(source, 65536)
    if not data: return count
    count += len(data)
    while data: data = data[os.write(to, data):]
child = os.fork()
if child == 0:
  try:
    copy(0, s.fileno())
  except OSError: pass
  try:
    s.shutdown(socket.SHUT_WR)
  except OSError: pass
  os._exit(0)
def end(*_):
  os.waitpid(child, 0)
  os._exit(1)
signal.signal(signal.SIGTERM, end)
try:
  count = copy(s.fileno(), 1)
except OSError:
  os.write(2, b"reset\\n")
  os.kill(child, 9)
  os.waitpid(child, 0)
  os._exit(1)
os.write(2, b"eof %d\\n" % count)
os.waitpid(child, 0)
`

const BASH = `exec 3<&0 4<>"/dev/tcp/$1/$2" || exit 1
trap 'wait; exit 1' TERM
echo connected >&2
cat <&3 >&4 &
cat <&4
kill -KILL $! && wait`

/**
 * The first program that is there runs; looking for it takes a shell no time beside the exec. nc does not say when it is
 * connected: its socket is looked up in the kernel's list, where state 01 is an established connection (and 04 to 0B one
 * that ends).
 */
const CONNECT = `host=$1 port=$2
echo "start $$" >&2
perl -MSocket -e 1 2>/dev/null && exec perl -e "$3" "$host" "$port"
command -v python3 >/dev/null && exec python3 -S -E -c "$4" "$host" "$port"
case $(nc --help 2>&1 </dev/null) in *BusyBox*) nc=nc ;; *) nc= ;; esac
if [ -z "$nc" ] && [ -n "$port" ]; then
  command -v bash >/dev/null && command -v cat >/dev/null && exec bash -c "$5" bash "$host" "$port"
  command -v nc >/dev/null && nc=nc
  case $(nc -h 2>&1 </dev/null) in *-N*) nc='nc -N' ;; esac
fi
if [ -z "$nc" ] || [ -z "$port" ]; then
  echo 'none of the programs in it can connect' >&2
  exit 1
fi
stands() {
  for file in /proc/$1/fd/*; do
    case $(readlink "$file") in 'socket:['*) socket=$(readlink "$file") ;; *) continue ;; esac
    socket=\${socket#socket:[}
    for list in /proc/$1/net/tcp /proc/$1/net/tcp6; do
      [ -r "$list" ] && while read -r slot local remote state queues timer again uid timeout inode rest; do
        case $state in 01 | 0[4-9AB]) [ "$inode]" = "$socket" ] && return 0 ;; esac
      done <"$list"
    done
  done
  return 1
}
trap 'wait; exit 1' TERM
exec 3<&0
$nc "$host" "$port" <&3 3<&- &
child=$!
exec 3<&-
until stands "$child" 2>/dev/null; do
  kill -0 "$child" 2>/dev/null || break
  sleep 0.02 2>/dev/null || sleep 1
done
if kill -0 "$child" 2>/dev/null; then echo connected >&2; wait "$child"; exit; fi
wait "$child" && echo connected >&2`

/** Host names and addresses: nothing that a program takes for an option or for syntax of its own. */
const HOST = /^[\p{L}\p{N}_:][\p{L}\p{N}_.:%-]{0,254}$/u

/** @returns program and arguments; a text when nothing can connect there */
export function connectCommand(target: ConnectTarget): readonly string[] | { readonly refused: string } {
  const programs = [PERL, PYTHON, BASH]
  const command = ['/bin/sh', '-c', CONNECT, 'bowline']
  if ('host' in target) {
    if (!HOST.test(target.host)) return { refused: 'The name of the host is malformed.' }
    return [...command, target.host, String(target.port), ...programs]
  }
  const { path } = target
  if (!path.startsWith('/') || path.includes('\0')) return { refused: 'The path of a socket must be absolute.' }
  return [...command, path, '', ...programs]
}

export type ConnectReport =
  | { readonly type: 'start'; readonly pid: number }
  | { readonly type: 'connected' | 'reset' }
  | { readonly type: 'eof'; readonly bytes: number }
  | { readonly type: 'said'; readonly text: string }

/** @param line of the program's standard error; untrusted */
export function connectReport(line: string): ConnectReport {
  if (line === 'connected' || line === 'reset') return { type: line }
  const [, pid] = /^start (\d{1,10})$/.exec(line) ?? []
  // 0 and 1 would be the whole container.
  if (pid !== undefined && Number(pid) > 1) return { type: 'start', pid: Number(pid) }
  const [, bytes] = /^eof (\d{1,15})$/.exec(line) ?? []
  if (bytes !== undefined) return { type: 'eof', bytes: Number(bytes) }
  return {
    type: 'said',
    text: line
      .replaceAll(/\p{C}+/gu, ' ')
      .trim()
      .slice(0, 200),
  }
}
