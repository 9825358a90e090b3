// Runs this machine's OpenSSH server for comparison: its own configuration, keys and port, for the user running the
// tests.
import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@bowline/testkit/free-port'
import { run } from './running.ts'
import { until } from './wait.ts'

export interface Sshd {
  readonly host: string
  readonly port: number
  readonly login: string
  /** Private key that it accepts. */
  readonly keyFile: string
  stop(): Promise<void>
}

export async function startSshd(): Promise<Sshd> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-sshd-'))
  const file = (name: string): string => join(folder, name)
  for (const name of ['host_key', 'user_key']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file(name)])
  }
  await copyFile(file('user_key.pub'), file('authorized_keys'))
  const port = await freePort()
  const configuration = [
    'ListenAddress 127.0.0.1',
    `Port ${port}`,
    `HostKey ${file('host_key')}`,
    'PidFile none',
    `AuthorizedKeysFile ${file('authorized_keys')}`,
    'StrictModes no',
    'UsePAM no',
    'PermitRootLogin yes',
    'UseDNS no',
    'PrintMotd no',
    'PrintLastLog no',
    'LogLevel ERROR',
    'Subsystem sftp /usr/lib/openssh/sftp-server',
  ]
  await writeFile(file('sshd_config'), `${configuration.join('\n')}\n`)
  // Debian's service unit would have created it.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 })
  const sshd = run(['/usr/sbin/sshd', '-D', '-e', '-f', file('sshd_config')], {})
  let ended = false
  void sshd.ended.then(() => (ended = true))
  await until('sshd listens', async () => {
    if (ended) throw new Error(`sshd has ended: ${sshd.output()}`)
    const table = await readFile('/proc/net/tcp', 'utf8')
    // Local address in hexadecimal, state 0A: listening (proc(5)).
    return new RegExp(`:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`).test(table)
  })
  return {
    host: '127.0.0.1',
    port,
    login: userInfo().username,
    keyFile: file('user_key'),
    async stop() {
      await sshd.end()
      await rm(folder, { recursive: true })
    },
  }
}
