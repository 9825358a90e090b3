// OpenSSH's ssh and sftp (ssh(1), ssh_config(5)).
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from '../place.ts'
import type { Job, Login } from './job.ts'
import type { Invocation, Program } from './program.ts'
import { STAY } from './program.ts'

export class OpenSsh implements Program {
  readonly place: Place
  readonly #folder: string

  /** @param folder scratch folder, for the programs that answer prompts */
  constructor(place: Place, folder: string) {
    this.place = place
    this.#folder = folder
  }

  /** The command line; with `LogLevel=DEBUG1` ssh logs negotiation and rekeys on stderr. */
  invocation(job: Job): Invocation {
    const { task, login } = job
    const options = ['-F', 'none', ...optionsOf(job).flatMap((option) => ['-o', option])]
    const port = String(job.port)
    const where = `${job.user}@127.0.0.1`
    const env = { ...(login.method === 'security-key' ? {} : this.#answers(job.id, login)) }
    const ssh = (args: readonly string[], more: Partial<Invocation> = {}): Invocation => ({
      file: 'ssh',
      args: [...options, '-p', port, ...args],
      ...more,
      env: { ...env, ...more.env },
    })
    switch (task.kind) {
      case 'exec':
        return ssh([where, task.command], task.input ? { input: readFileSync(task.input) } : {})
      case 'shell':
        return ssh(['-tt', where], { input: Buffer.from(task.lines) })
      case 'sftp':
        return {
          file: 'sftp',
          args: ['-q', ...options, '-P', port, '-b', '-', where],
          env,
          input: Buffer.from(`put ${task.local} ${task.remote}\nget ${task.remote} ${task.back}\n`),
        }
      case 'local':
        return ssh(['-L', `127.0.0.1:${task.listen}:127.0.0.1:${task.to}`, where, STAY])
      case 'remote':
        return ssh(['-R', `127.0.0.1:${task.listen}:127.0.0.1:${task.to}`, where, STAY])
      case 'socks':
        return ssh(['-D', `127.0.0.1:${task.listen}`, where, STAY])
      case 'local-socket':
        return ssh(['-L', `${task.listen}:${task.to}`, where, STAY])
      case 'remote-socket':
        return ssh(['-R', `${task.listen}:${task.to}`, where, STAY])
      case 'agent':
        return ssh(['-A', where, task.command], { env: { SSH_AUTH_SOCK: task.agent } })
      case 'x11':
        return ssh(['-Y', where, task.command], { env: { DISPLAY: `127.0.0.1:${task.display}` } })
    }
  }

  /** Environment for a program that answers prompts (SSH_ASKPASS in ssh(1)). */
  #answers(id: string, login: Exclude<Login, { method: 'security-key' }>): Record<string, string> {
    if (login.method === 'publickey') return {}
    const cases =
      login.method === 'password'
        ? `*) echo '${login.password}' ;;`
        : Object.entries(login.answers)
            .map(([prompt, answer]) => `*'${prompt}'*) echo '${answer}' ;;`)
            .join('\n')
    const file = join(this.#folder, `answers-${id}`)
    writeFileSync(file, `#!/bin/sh\ncase "$1" in\n${cases}\nesac\n`, { mode: 0o700 })
    return { SSH_ASKPASS: file, SSH_ASKPASS_REQUIRE: 'force' }
  }
}

function optionsOf({ login, offer = {}, rekeyBytes }: Job): string[] {
  return [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'ExitOnForwardFailure=yes',
    'NumberOfPasswordPrompts=1',
    'IdentitiesOnly=yes',
    'LogLevel=DEBUG1',
    `PreferredAuthentications=${login.method === 'security-key' ? 'publickey' : login.method}`,
    ...('key' in login ? [`IdentityFile=${login.key}`] : []),
    ...('certificate' in login && login.certificate ? [`CertificateFile=${login.certificate}`] : []),
    ...('provider' in login ? [`SecurityKeyProvider=${login.provider}`] : []),
    ...(offer.kex ? [`KexAlgorithms=${offer.kex}`] : []),
    ...(offer.cipher ? [`Ciphers=${offer.cipher}`] : []),
    ...(offer.mac ? [`MACs=${offer.mac}`] : []),
    ...(rekeyBytes === undefined ? [] : [`RekeyLimit=${rekeyBytes}`]),
  ]
}
