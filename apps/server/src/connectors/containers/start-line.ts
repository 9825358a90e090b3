// Command line of a session inside a container. Engines neither say the number of a process inside of its container nor
// deliver signals to it: a line of shell before the program prints the number, and a second process sends signals.
import { isUtf8 } from 'node:buffer'
import { CLIENT_VARIABLE, type SessionOpen } from '@bowline/link/stream-messages'
import type { ContainerAccount } from './account.ts'

const SHELL = '/bin/sh'
const NAME = 'bowline'

/**
 * Prints its number, then becomes the account's shell; a missing one is replaced, one that refuses logins is not. A shell
 * that runs a command is called by its name alone in its messages, as under sshd.
 */
const PROGRAM = `echo "$$"
cd "$HOME" 2>/dev/null || cd /
unset OLDPWD
shell=$1
shift
case $shell in */nologin | */false) ;; *) [ -x "$shell" ] || shell=/bin/sh ;; esac
[ "$1" != -c ] || exec "$shell" -c "$2" "\${shell##*/}"
exec "$shell" "$@"`

const SFTP = `for server in /usr/lib/openssh /usr/lib/ssh /usr/libexec/openssh /usr/libexec /usr/lib /usr/local/libexec; do
  if [ -x "$server/sftp-server" ]; then
    echo "$$"
    cd "$HOME" 2>/dev/null || cd /
    exec "$server/sftp-server"
  fi
done
echo missing`

/** Signals the process group of a program; a stopped one continues, to handle its end. */
const SIGNAL = `kill "-$1" "-$2"
[ "$1" != HUP ] || kill -CONT "-$2"`

/** Shells that are made to restrict people, who could change any file by a subsystem. */
const RESTRICTED = /(?:^|\/)(?:r(?:bash|ksh|zsh|sh)|nologin|false|true|git-shell|scponly)$/

const MAX_LINE_BYTES = 32

/**
 * @param size of the terminal in characters, where there is one: the engine may set it only after the program has started
 * @returns program and arguments; a text when it cannot be run
 */
export function commandOf(
  run: SessionOpen['run'],
  account: ContainerAccount,
  size?: { readonly columns: number; readonly rows: number },
): readonly string[] | { refused: string } {
  const sized = size ? `stty rows ${size.rows} cols ${size.columns} 2>/dev/null\n` : ''
  const program = [SHELL, '-c', `${sized}${PROGRAM}`, NAME, account.shell]
  switch (run.type) {
    case 'shell':
      return [...program, '-l']
    case 'exec': {
      const command = Buffer.from(run.command, 'base64')
      if (!isUtf8(command) || command.includes(0)) return { refused: 'The command is not text in UTF-8.' }
      return [...program, '-c', command.toString()]
    }
    case 'subsystem':
      if (run.name !== 'sftp') return { refused: 'Containers have no such subsystem.' }
      if (RESTRICTED.test(account.shell)) return { refused: 'The shell of this account allows no files.' }
      return [SHELL, '-c', SFTP, NAME]
  }
}

/** @param pid of a session leader inside of the container */
export function signalCommand(name: string, pid: number): readonly string[] {
  return [SHELL, '-c', SIGNAL, NAME, name, String(pid)]
}

/** `NAME=value` of a session; the engine adds what the image sets. */
export function environmentOf({ pty, env, client }: SessionOpen, account: ContainerAccount): string[] {
  const variables = new Map([
    ['USER', account.name],
    ['LOGNAME', account.name],
    ['HOME', account.home],
    ['SHELL', account.shell],
  ])
  for (const [name, value] of env) if (CLIENT_VARIABLE.test(name) && isPlain(value)) variables.set(name, value)
  if (pty && isPlain(pty.term)) variables.set('TERM', pty.term)
  if (/^[0-9A-Fa-f.:]{1,45}$/.test(client.address)) {
    variables.set('SSH_CONNECTION', `${client.address} ${client.port} 127.0.0.1 22`)
  }
  return [...variables].map(([name, value]) => `${name}=${value}`)
}

const isPlain = (value: string): boolean => !/\p{Cc}/u.test(value)

/** Reads the line that precedes the output of a program. */
export class StartLine {
  #line = ''

  /**
   * @param bytes next output
   * @returns the number of the process, or why there is none, with the bytes after the line; undefined while more must
   *   be read
   */
  push(bytes: Buffer): { readonly pid: number; readonly rest: Buffer } | { readonly refused: string } | undefined {
    const end = bytes.indexOf(0x0a)
    this.#line += bytes.toString('latin1', 0, end === -1 ? Math.min(bytes.length, MAX_LINE_BYTES) : end)
    if (end === -1 && this.#line.length < MAX_LINE_BYTES) return undefined
    const line = this.#line.trim()
    if (line === 'missing') return { refused: NO_SFTP_SERVER }
    const [, program] = /^lacks ([a-z]{1,16})$/.exec(line) ?? []
    if (program !== undefined) return { refused: `The container has no program ${program}, which files need.` }
    const pid = /^\d{1,10}$/.test(line) ? Number(line) : 0
    // 0 and 1 would be the whole container.
    return pid > 1 && end !== -1 ? { pid, rest: bytes.subarray(end + 1) } : { refused: NO_SHELL }
  }
}

export const NO_SFTP_SERVER = 'The container has no sftp-server.'
export const NO_SHELL = 'The container has no working /bin/sh, which sessions need.'
