// Versions of the clients on the board: without them a green row says little.
import { spawnSync } from 'node:child_process'
import { type Place, trixie } from '@bowline/testkit/place'
import { LIBSSH_PYTHON, PYTHON } from './clients/scripted.ts'

function inPlace(place: Place, file: string, ...args: string[]): string[] {
  const [command, words] = place.command(file, args)
  return [command, ...words]
}

const VERSION_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'OpenSSH 9.2': ['ssh', '-V'],
  'OpenSSH 10.0': inPlace(trixie, 'ssh', '-V'),
  PuTTY: ['plink', '-V'],
  Dropbear: ['dbclient', '-V'],
  paramiko: [PYTHON, '-c', 'import paramiko; print(paramiko.__version__)'],
  asyncssh: [PYTHON, '-W', 'ignore', '-c', 'import asyncssh; print(asyncssh.__version__)'],
  'curl (libssh2)': ['curl', '--version'],
  'Perl Net::SSH2 (libssh2)': ['perl', '-MNet::SSH2', '-e', 'print $Net::SSH2::VERSION'],
  'Ruby net-ssh': ['ruby', '-e', "require 'net/ssh'; print Net::SSH::Version::STRING"],
  'Twisted Conch': [PYTHON, '-W', 'ignore', '-c', 'import twisted; print(twisted.__version__)'],
  libssh: [LIBSSH_PYTHON, '-c', 'import ssh; print("ssh-python", ssh.__version__)'],
  'Erlang/OTP ssh': ['erl', '-noshell', '-eval', 'io:put_chars(erlang:system_info(otp_release)), halt().'],
  rsync: ['rsync', '--version'],
  git: ['git', '--version'],
  Ansible: ['ansible-playbook', '--version'],
  tmux: ['tmux', '-V'],
  mosh: ['mosh-server', '--version'],
}

/** First line of each program's version output, for those installed. */
export function clientVersions(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(VERSION_COMMANDS).flatMap(([client, [program = '', ...args]]) => {
      const { stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
      const line = `${stdout}\n${stderr}`.trim().split('\n')[0]
      return error || !line ? [] : [[client, line]]
    }),
  )
}
