// Dropbear's dbclient (dbclient(1)).
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { Place } from '../place.ts'
import type { Job } from './job.ts'
import type { Invocation, Program } from './program.ts'
import { STAY } from './program.ts'

export class Dropbear implements Program {
  readonly place: Place

  constructor(place: Place) {
    this.place = place
  }

  invocation(job: Job): Invocation {
    const { task, login, offer = {} } = job
    // Accepts any host key.
    const options = ['-y', '-y', '-p', String(job.port)]
    if (login.method === 'publickey') options.push('-i', this.#key(login.key))
    if (offer.cipher) options.push('-c', offer.cipher)
    if (offer.mac) options.push('-m', offer.mac)
    const where = `${job.user}@127.0.0.1`
    const env: Record<string, string> = login.method === 'password' ? { DROPBEAR_PASSWORD: login.password } : {}
    const answers = login.method === 'keyboard-interactive' ? { answers: login.answers } : {}
    const dbclient = (args: readonly string[], more: Partial<Invocation> = {}): Invocation => ({
      file: 'dbclient',
      args: [...options, ...args],
      ...more,
      env: { ...env, ...more.env },
    })
    switch (task.kind) {
      case 'exec':
        return dbclient([where, task.command], { ...answers, ...(task.input && { input: readFileSync(task.input) }) })
      case 'shell':
        // It refuses a remote terminal without a local one.
        return {
          file: 'script',
          args: ['-qec', ['dbclient', ...options, '-t', where].join(' '), '/dev/null'],
          env,
          input: Buffer.from(task.lines),
        }
      case 'sftp': {
        // OpenSSH's sftp as the protocol client, dbclient as its transport.
        const transport = ['dbclient', ...options, '-s', where, 'sftp'].join(' ')
        const input = Buffer.from(`put ${task.local} ${task.remote}\nget ${task.remote} ${task.back}\n`)
        return { file: 'sftp', args: ['-q', '-D', transport, '-b', '-'], env, input }
      }
      case 'local':
        return dbclient(['-L', `127.0.0.1:${task.listen}:127.0.0.1:${task.to}`, where, STAY])
      case 'remote':
        return dbclient(['-R', `127.0.0.1:${task.listen}:127.0.0.1:${task.to}`, where, STAY])
      case 'agent':
        return dbclient(['-A', where, task.command], { env: { SSH_AUTH_SOCK: task.agent } })
      default:
        throw new Error(`dbclient has no ${task.kind}`)
    }
  }

  /** Dropbear's own private key format. */
  #key(file: string): string {
    const converted = `${file}.dropbear`
    if (existsSync(converted)) return converted
    const args = ['openssh', 'dropbear', file, converted]
    const made = spawnSync(...this.place.command('dropbearconvert', args))
    if (made.status !== 0) throw new Error(`dropbearconvert: ${made.stderr.toString()}`)
    return converted
  }
}
