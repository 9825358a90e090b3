// Runs file transfer programs as a person would, against any SSH server.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** The Python that Debian's packages install into. */
export const PYTHON = '/usr/bin/python3'
/** The clients available on this machine. */
export const installed = {
  sshd: runs('/usr/sbin/sshd', '-V'),
  putty: runs('psftp', '-V'),
  rsync: runs('rsync', '--version'),
  paramiko: runs(PYTHON, '-c', 'import paramiko'),
}

function runs(name: string, ...args: string[]): boolean {
  // Some versions of sshd answer -V with a usage message and a failure status.
  const { error, status } = spawnSync(name, args, { stdio: 'ignore' })
  return !error && (name.endsWith('sshd') || status === 0)
}

/** A client's server and credentials. */
export interface Place {
  readonly host: string
  readonly port: number
  readonly login: string
  /** Answers the last prompt of servers that ask. */
  readonly password?: string
  readonly keyFile?: string
}

export interface ProgramResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Options of OpenSSH programs, which differ in the letter for the port. */
export function sshOptions(place: Place, portLetter: 'p' | 'P'): string[] {
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'NumberOfPasswordPrompts=1',
    // `sftp -b` would disable prompts otherwise.
    'BatchMode=no',
    `PubkeyAuthentication=${place.keyFile ? 'yes' : 'no'}`,
    ...(place.keyFile ? [`IdentityFile=${place.keyFile}`, 'IdentitiesOnly=yes'] : []),
  ].flatMap((option) => ['-o', option])
  return ['-F', 'none', ...options, `-${portLetter}`, String(place.port)]
}

/** Options of PuTTY programs. */
export function puttyOptions(place: Place): string[] {
  const keys = execFileSync('ssh-keyscan', ['-t', 'ed25519', '-p', String(place.port), place.host], { stdio: 'pipe' })
  const listed = execFileSync('ssh-keygen', ['-lf', '-'], { input: keys, encoding: 'utf8' })
  const fingerprint = listed.split(' ')[1] ?? ''
  const credential = place.keyFile ? ['-i', puttyKey(place.keyFile)] : ['-pw', place.password ?? '']
  return ['-batch', '-noagent', '-hostkey', fingerprint, '-P', String(place.port), '-l', place.login, ...credential]
}

function puttyKey(keyFile: string): string {
  const file = `${keyFile}.ppk`
  execFileSync('puttygen', [keyFile, '-O', 'private', '-o', file])
  return file
}

/** Runs an OpenSSH program to completion; sshpass answers a password prompt. */
export function client(place: Place, command: readonly string[], input = ''): Promise<ProgramResult> {
  return program(place.password === undefined ? command : ['sshpass', '-e', ...command], input, place.password)
}

/** Runs a program to completion. */
export async function program(words: readonly string[], input = '', password = ''): Promise<ProgramResult> {
  const [name = '', ...args] = words
  const child = spawn(name, args, {
    env: { PATH: process.env['PATH'] ?? '', SSHPASS: password, LANG: 'C.UTF-8', HOME: '/nonexistent' },
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, stdout, stderr }
}
