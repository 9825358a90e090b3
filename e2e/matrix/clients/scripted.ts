// SSH libraries, each with one script that implements all its features: it reads a job as JSON from stdin and prints
// the result.
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { freePort } from '@bowline/testkit/free-port'
import { type Row, type Site, rowsOf } from '../row.ts'
import { must, tool } from '../tool.ts'

/** Debian's Python, which has the libraries; another `python3` may come first in PATH. */
export const PYTHON = '/usr/bin/python3'
/** Has the packages from PyPI (`.ci/run`). */
export const LIBSSH_PYTHON = resolve(import.meta.dirname, '../../../.cache/libssh/bin/python')

const FEATURES = {
  exec: 'a command, with its own exit code and both outputs',
  input: 'input of 4 MiB, there and back',
  ahead: 'input of 8 MiB, written before its echo is read',
  pty: 'a terminal, with its size and a change of it',
  shell: 'a shell, told what to do',
  env: 'a variable, and a command after it',
  key: 'a key',
  ecdsa: 'a host key that is not Ed25519',
  retry: 'a wrong password, then the right one',
  questions: 'a password by keyboard-interactive',
  signal: 'a command that a signal ends',
  sftp: 'sftp: write, read, list, rename, remove',
  scp: 'scp, there and back',
  local: 'a connection from the device (direct-tcpip)',
  remote: 'a remote forward',
  many: 'twenty commands at once on one connection',
} as const
type Feature = keyof typeof FEATURES

interface Answer {
  readonly works: boolean
}

interface Library {
  readonly name: string
  readonly needs: string
  /** The interpreter of the script in this folder. */
  readonly command: readonly string[]
  readonly features: readonly Feature[]
}

const PYTHON_FEATURES: readonly Feature[] = ['exec', 'input', 'pty', 'key', 'signal', 'sftp', 'local', 'remote', 'many']

const LIBRARIES: readonly Library[] = [
  {
    name: 'paramiko',
    needs: `${PYTHON}:paramiko`,
    command: [PYTHON, 'paramiko_client.py'],
    features: PYTHON_FEATURES,
  },
  {
    name: 'asyncssh',
    needs: `${PYTHON}:asyncssh`,
    command: [PYTHON, 'asyncssh_client.py'],
    features: PYTHON_FEATURES,
  },
  {
    name: 'Perl Net::SSH2 (libssh2)',
    needs: 'perl:Net::SSH2',
    command: ['perl', 'net_ssh2_client.pl'],
    features: ['exec', 'input', 'shell', 'key', 'retry', 'sftp', 'scp', 'local'],
  },
  {
    name: 'Ruby net-ssh',
    needs: 'ruby:net/sftp',
    command: ['ruby', 'net_ssh_client.rb'],
    features: ['exec', 'input', 'pty', 'key', 'ecdsa', 'retry', 'sftp', 'local', 'remote', 'many'],
  },
  {
    name: 'Twisted Conch',
    needs: `${PYTHON}:twisted.conch.ssh.transport, bcrypt`,
    command: [PYTHON, '-W', 'ignore', 'conch_client.py'],
    features: ['exec', 'input', 'pty', 'key', 'retry', 'sftp', 'local', 'many'],
  },
  {
    name: 'libssh',
    needs: `${LIBSSH_PYTHON}:ssh`,
    command: [LIBSSH_PYTHON, 'libssh_client.py'],
    features: ['exec', 'input', 'ahead', 'shell', 'key', 'retry', 'questions', 'sftp', 'local'],
  },
  {
    name: 'Erlang/OTP ssh',
    needs: 'escript',
    command: ['escript', 'erlang_client.escript'],
    features: ['exec', 'input', 'shell', 'env', 'key', 'retry', 'sftp', 'local', 'remote'],
  },
]

export function libraries(): Row[] {
  return LIBRARIES.flatMap(({ name, needs, command, features }) => {
    const program = [...command.slice(0, -1), join(import.meta.dirname, command.at(-1) ?? '')]
    const row = (feature: Feature) => async (site: Site) => {
      // Some look for known hosts and keys there.
      const home = join(site.scratch, 'home')
      await mkdir(home)
      const { stdout } = await tool(program, {
        input: JSON.stringify(await orderFor(site, feature)),
        env: { HOME: home },
      })
      const answer = JSON.parse(stdout) as Answer
      must(answer.works, answer)
      return answer
    }
    return rowsOf(name, [needs], Object.fromEntries(features.map((feature) => [FEATURES[feature], row(feature)])))
  })
}

/** Only strings and numbers, in a flat object: not every language has a JSON parser. */
async function orderFor(site: Site, feature: Feature) {
  const { host, port, login, password, keyFile, ecdsaKeyFile, echo, scratch } = site
  const more = { echoPort: echo.port, freePort: await freePort(), scratch }
  return { feature, host, port, login, password, keyFile, ecdsaKeyFile, ...more }
}
