// PuTTY's plink and psftp. Settings without a command-line option go into a saved session, in a separate folder.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from '../place.ts'
import type { Job } from './job.ts'
import type { Invocation, Program } from './program.ts'
import { STAY } from './program.ts'

/** PuTTY's setting values by SSH name; it chooses by family, not by name. */
const KEX: Readonly<Record<string, string>> = {
  'mlkem768x25519-sha256': 'mlkem-curve25519',
  'curve25519-sha256': 'ecdh',
}
const CIPHERS: Readonly<Record<string, string>> = {
  'chacha20-poly1305@openssh.com': 'chacha20',
  'aes128-gcm@openssh.com': 'aesgcm',
  'aes256-ctr': 'aes',
}
// Values that a list omits are re-inserted in their default position, so all the others must be listed.
const OTHERS = {
  KEX: 'mlkem-curve25519,mlkem-nist,ntru-curve25519,ecdh,dh-gex-sha1,dh-group18-sha512,dh-group17-sha512,dh-group16-sha512,dh-group15-sha512,dh-group14-sha1,rsa,dh-group1-sha1',
  Cipher: 'aesgcm,chacha20,aes,3des,des,blowfish,arcfour',
}

export class Putty implements Program {
  readonly place: Place
  readonly #folder: string

  /** @param folder scratch folder, for converted keys and saved sessions */
  constructor(place: Place, folder: string) {
    this.place = place
    this.#folder = folder
  }

  invocation(job: Job): Invocation {
    const { task, login } = job
    const options = ['-v', '-load', job.id, '-hostkey', job.fingerprint, '-P', String(job.port)]
    if (login.method === 'password') options.push('-pw', login.password)
    if (login.method === 'publickey') options.push('-noagent', '-i', this.#key(login.key))
    if ('certificate' in login && login.certificate) options.push('-cert', login.certificate)
    const env: Record<string, string> = { PUTTYDIR: this.#session(job) }
    if (login.method === 'security-key') env['SSH_AUTH_SOCK'] = login.agent
    const where = `${job.user}@127.0.0.1`
    const plink = (args: readonly string[], more: Partial<Invocation> = {}): Invocation => ({
      file: 'plink',
      args: [...options, ...(login.method === 'keyboard-interactive' ? [] : ['-batch']), ...args],
      ...more,
      env: { ...env, ...more.env },
    })
    const answers = login.method === 'keyboard-interactive' ? { answers: login.answers } : {}
    switch (task.kind) {
      case 'exec':
        return plink([where, task.command], { ...answers, ...(task.input && { input: readFileSync(task.input) }) })
      case 'shell':
        return plink(['-t', where], { input: Buffer.from(task.lines) })
      case 'sftp': {
        const batch = join(this.#folder, `psftp-${job.id}`)
        writeFileSync(batch, `put ${task.local} ${task.remote}\nget ${task.remote} ${task.back}\n`)
        return { file: 'psftp', args: [...options, '-batch', '-b', batch, where], env }
      }
      case 'local':
        return plink(['-L', `127.0.0.1:${task.listen}:127.0.0.1:${task.to}`, where, STAY])
      case 'remote':
        return plink(['-R', `127.0.0.1:${task.listen}:127.0.0.1:${task.to}`, where, STAY])
      case 'socks':
        return plink(['-D', `127.0.0.1:${task.listen}`, where, STAY])
      case 'agent':
        return plink(['-A', where, task.command], { env: { SSH_AUTH_SOCK: task.agent } })
      case 'x11':
        return plink(['-X', where, task.command], { env: { DISPLAY: `127.0.0.1:${task.display}` } })
      default:
        throw new Error(`PuTTY has no ${task.kind}`)
    }
  }

  /** PuTTY's own private key format. */
  #key(file: string): string {
    const converted = `${file}.ppk`
    if (existsSync(converted)) return converted
    const made = spawnSync(...this.place.command('puttygen', [file, '-O', 'private', '-o', converted]))
    if (made.status !== 0) throw new Error(`puttygen: ${made.stderr.toString()}`)
    return converted
  }

  /** The folder with a job's saved session. */
  #session({ id, offer = {}, rekeyBytes }: Job): string {
    const home = join(this.#folder, `putty-${id}`)
    mkdirSync(join(home, 'sessions'), { recursive: true })
    const lines = ['Protocol=ssh', 'TryAgent=1', 'AuthKI=1']
    // Values after WARN are used only after a prompt, and with -batch never.
    if (offer.kex) lines.push(only('KEX', word(KEX, offer.kex)))
    if (offer.cipher) lines.push(only('Cipher', word(CIPHERS, offer.cipher)))
    if (rekeyBytes !== undefined) lines.push(`RekeyBytes=${rekeyBytes}`)
    writeFileSync(join(home, 'sessions', id), `${lines.join('\n')}\n`)
    return home
  }
}

function only(setting: keyof typeof OTHERS, word: string): string {
  const others = OTHERS[setting].split(',').filter((other) => other !== word)
  return `${setting}=${[word, 'WARN', ...others].join()}`
}

function word(words: Readonly<Record<string, string>>, name: string): string {
  const found = words[name]
  if (found === undefined) throw new Error(`PuTTY has no setting for ${name}`)
  return found
}
