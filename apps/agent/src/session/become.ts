// The command line that switches from root to another user before their program starts. `setpriv` costs one exec
// (0.9 ms) and fails closed; a login shell also needs its argv[0] changed, which bash can do. If one of them is missing
// the agent's own program does both (become-program.ts), at the cost of starting it.
import { existsSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isSelf } from '../native/identity.ts'
import type { CommandLine } from '../native/command-line.ts'
import type { Account } from '../login/account.ts'
import { ownProgram } from '../own-program.ts'
import type { BecomeOrder } from './become-program.ts'

/** Paths of the tools; looked up once. */
export interface Tools {
  readonly setpriv?: string
  readonly bash?: string
}

export function findTools(exists: (path: string) => boolean = existsSync): Tools {
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find(exists)
  const bash = ['/bin/bash', '/usr/bin/bash'].find(exists)
  return { ...(setpriv ? { setpriv } : {}), ...(bash ? { bash } : {}) }
}

/** The account's shell running `command` (exact bytes), or as a login shell (leading dash in argv[0]) without one. */
export function shellOf(account: Account, command: Uint8Array | undefined): CommandLine {
  const name = basename(account.shell)
  return { path: account.shell, argv: command ? [name, '-c', command] : [`-${name}`] }
}

/**
 * The same command line run as `account`, with exactly its groups. Unchanged when the agent already is that user.
 * @param login whether argv[0] must be preserved
 * @param searchPath the `PATH` that the program will have
 */
export function becoming(
  account: Account,
  command: CommandLine,
  login: boolean,
  tools: Tools,
  searchPath: string,
): CommandLine {
  if (isSelf(account)) return command
  if (!tools.setpriv || (login && !tools.bash)) return throughOwnProgram(account, command)
  const groups = account.groups.length > 0 ? [`--groups=${account.groups.join(',')}`] : ['--clear-groups']
  return {
    path: tools.setpriv,
    argv: [
      'setpriv',
      `--reuid=${account.uid}`,
      `--regid=${account.gid}`,
      ...groups,
      '--inh-caps=-all',
      '--',
      ...execWords(command, login, tools, searchPath),
    ],
  }
}

/** Arguments with which execvp(3) starts the command line, with its argv[0] as far as it matters. */
export function execWords(
  { path, argv }: CommandLine,
  login: boolean,
  tools: Tools,
  searchPath: string,
): CommandLine['argv'] {
  const [argv0 = path, ...rest] = argv
  // --norc: bash reads the user's .bashrc for a `-c` that it believes came from sshd.
  if (login && tools.bash) return [tools.bash, '--norc', '-c', 'exec -a "$0" "$@"', argv0, path, ...rest]
  if (login) return [path, '-l', ...rest]
  const program = Buffer.from(argv0).toString()
  return [resolvesTo(program, path, searchPath) ? program : path, ...rest]
}

/**
 * Whether execvp(3) resolves the name to the intended file: then argv[0] can be that name, as with sshd, and a shell's
 * messages begin with `bash:`. Pure except for resolving links.
 */
function resolvesTo(name: string, file: string, searchPath: string): boolean {
  if (name.includes('/')) return false
  const found = searchPath.split(':').find((folder) => folder.startsWith('/') && existsSync(join(folder, name)))
  return found !== undefined && realpathSync(join(found, name)) === realpathSync(file)
}

function throughOwnProgram(account: Account, command: CommandLine): CommandLine {
  const { uid, gid, groups } = account
  // Node only accepts text: a command that is not UTF-8 is damaged on this path.
  const argv = command.argv.map((argument) => Buffer.from(argument).toString('utf8'))
  const order: BecomeOrder = { uid, gid, groups, path: command.path, argv }
  const [path, ...words] = ownProgram()
  return { path, argv: ['bowline', ...words, 'become-user', JSON.stringify(order)] }
}
