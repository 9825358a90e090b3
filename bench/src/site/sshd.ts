// The peer: an OpenSSH server of this machine with its own configuration, keys and port, for this bench only.
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Server, orItsEnd, run, startServer } from './child.ts'

export interface Sshd extends AsyncDisposable {
  readonly port: number
  /** Private key of an accepted user, in addition to the system's password. */
  readonly userKeyFile: string
}

const SSHD = '/usr/sbin/sshd'

/** Starts sshd on a free loopback port. @throws {Error} with its output when it does not start */
export async function startSshd(folder: string): Promise<Sshd> {
  const file = (name: string): string => join(folder, name)
  for (const name of ['host_key', 'user_key']) {
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file(name)])
  }
  await writeFile(file('authorized_keys'), await readFile(file('user_key.pub')), { mode: 0o600 })
  const port = await freePort()
  await writeFile(file('sshd_config'), configuration(port, file))
  const server = await startServer(SSHD, ['-D', '-e', '-f', file('sshd_config')])
  await orItsEnd(server, 'sshd', listening(server, port))
  return { port, userKeyFile: file('user_key'), [Symbol.asyncDispose]: () => server.stop() }
}

/** No PAM, no name lookup, no system files: only what every sshd does for a login. */
function configuration(port: number, file: (name: string) => string): string {
  return `${[
    ['ListenAddress', '127.0.0.1'],
    ['Port', port],
    ['HostKey', file('host_key')],
    ['PidFile', file('sshd.pid')],
    ['AuthorizedKeysFile', file('authorized_keys')],
    // The folder is below world-writable /tmp.
    ['StrictModes', 'no'],
    ['UsePAM', 'no'],
    ['PermitRootLogin', 'yes'],
    ['PasswordAuthentication', 'yes'],
    ['KbdInteractiveAuthentication', 'no'],
    ['UseDNS', 'no'],
    ['PrintMotd', 'no'],
    ['PrintLastLog', 'no'],
    ['MaxStartups', '100:30:200'],
    ['Subsystem', 'sftp', '/usr/lib/openssh/sftp-server'],
    ['LogLevel', 'ERROR'],
  ]
    .map((line) => line.join(' '))
    .join('\n')}\n`
}

/** sshd cannot choose a port itself; a port that was just free is good enough on loopback. */
function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

async function listening(server: Server, port: number): Promise<void> {
  for (;;) {
    const table = await readFile(`/proc/${server.pid}/net/tcp`, 'utf8')
    // Local address in hexadecimal, state 0A: listening (proc(5)).
    if (new RegExp(`:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`).test(table)) return
    await pause(10)
  }
}
