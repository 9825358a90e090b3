// Runs the ssh clients of this machine against a test server: OpenSSH, and PuTTY's plink.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ClientResult {
  readonly stdout: Buffer
  readonly stderr: string
  readonly code: number | null
}

/** Whether a command is installed. */
export function hasCommand(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0
}

/** A temporary folder, removed on disposal. */
export class ScratchFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'ssh-test-'))

  file(name: string): string {
    return join(this.path, name)
  }

  /** Makes a key pair with ssh-keygen, once per type and size. */
  key(type: string, bits?: number): string {
    const file = this.file(`key-${type}-${bits ?? ''}`)
    if (existsSync(file)) return file
    const args = ['-q', '-t', type, '-N', '', '-f', file, ...(bits ? ['-b', String(bits)] : [])]
    const made = spawnSync('ssh-keygen', args)
    if (made.status !== 0) throw new Error(`ssh-keygen: ${made.stderr.toString()}`)
    return file
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** Runs a command to completion. */
export function run(command: string, args: readonly string[], input: Uint8Array = Buffer.alloc(0)) {
  return new Promise<ClientResult>((resolve, reject) => {
    const child = spawn(command, args, { timeout: 60_000, env: { ...process.env, SSH_AUTH_SOCK: '' } })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on('data', (bytes: Buffer) => stdout.push(bytes))
    child.stderr.on('data', (bytes: Buffer) => stderr.push(bytes))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.on('error', reject)
    child.on('close', (code) => {
      resolve({ stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString(), code })
    })
  })
}

/** Options that keep OpenSSH from reading the machine's own configuration; `extra` takes precedence. */
export function sshOptions(port: number, extra: readonly string[] = []): string[] {
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR', 'IdentitiesOnly=yes']
  return ['-F', '/dev/null', '-p', String(port), ...[...extra, ...options].flatMap((option) => ['-o', option])]
}

/** `ssh` with a password given by sshpass. */
export function sshWithPassword(
  port: number,
  command: string,
  { password = 'right', extra = [], input }: { password?: string; extra?: readonly string[]; input?: Uint8Array } = {},
) {
  const args = ['-p', password, 'ssh', ...sshOptions(port, ['PreferredAuthentications=password', ...extra])]
  return run('sshpass', [...args, 'user@127.0.0.1', command], input)
}

/** `ssh` with a key file. */
export function sshWithKey(
  port: number,
  key: string,
  command: string,
  { extra = [], input }: { extra?: readonly string[]; input?: Uint8Array } = {},
) {
  const args = sshOptions(port, [`IdentityFile=${key}`, 'BatchMode=yes', ...extra])
  return run('ssh', [...args, 'user@127.0.0.1', command], input)
}
