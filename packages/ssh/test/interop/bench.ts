// Fixtures of the interop board: keys, a certificate, an agent, echo services, an X server, files to send.
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Server } from 'node:net'
import { TRIXIE_FOLDER, thisMachine, trixie, trixieMissing } from '@bowline/testkit/place'
import type { Place } from '@bowline/testkit/place'
import { ScratchFolder } from '@bowline/testkit/real-client'
import { listeningPort } from '@bowline/base/testing/listening-port'

export interface Bench extends AsyncDisposable {
  readonly folder: ScratchFolder
  /** A private key file; `.pub` beside it. */
  key(type: KeyName): string
  /** The software authenticator at its path in `place`. */
  provider(place: Place): string
  readonly authority: string
  /** Certificate of the Ed25519 key for the user `cell-certificate`. */
  readonly certificate: string
  /** Socket of an agent that holds the FIDO keys and, first, the Ed25519 key. */
  readonly agent: string
  readonly echoPort: number
  readonly echoPath: string
  readonly display: number
  /** Random bytes in a file. */
  payload(bytes: number): Payload
}

export interface Payload {
  readonly file: string
  readonly sha256: string
}

export const KEY_NAMES = ['ed25519', 'ecdsa-256', 'ecdsa-384', 'ecdsa-521', 'rsa', 'sk-ed25519', 'sk-ecdsa'] as const
export type KeyName = (typeof KEY_NAMES)[number]

const SK_DUMMY = '/usr/local/lib/sk/sk-dummy.so'

function must(place: Place, file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const result = spawnSync(...place.command(file, args), { encoding: 'utf8', env: { ...process.env, ...env } })
  if (result.status !== 0) throw new Error(`${file} ${args.join(' ')}: ${result.stderr}`)
  return result.stdout
}

export async function setUpBench(): Promise<Bench> {
  const folder = new ScratchFolder()
  const fido = trixieMissing() === undefined
  makeKeys(folder, fido)
  const authority = folder.file('authority')
  must(thisMachine, 'ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', authority])
  // Not beside the key, where clients would find it unasked.
  const certified = folder.file('certified')
  copyFileSync(`${folder.file('ed25519')}.pub`, `${certified}.pub`)
  must(thisMachine, 'ssh-keygen', ['-q', '-s', authority, '-I', 'board', '-n', 'cell-certificate', `${certified}.pub`])
  const agent = await startAgent(folder, fido)
  const echo = createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket)).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  const echoPath = folder.file('echo')
  const localEcho = createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket)).listen(echoPath)
  const screen = await startDisplay()
  const payloads = new Map<number, Payload>()
  return {
    folder,
    key: (type) => folder.file(type),
    provider: (place) => (place === trixie ? SK_DUMMY : `${TRIXIE_FOLDER}${SK_DUMMY}`),
    authority: `${authority}.pub`,
    certificate: `${certified}-cert.pub`,
    agent: agent.socket,
    echoPort: listeningPort(echo),
    echoPath,
    display: listeningPort(screen) - 6_000,
    payload(bytes) {
      const made = payloads.get(bytes) ?? makePayload(folder, bytes)
      payloads.set(bytes, made)
      return made
    },
    async [Symbol.asyncDispose]() {
      for (const server of [echo, localEcho, screen]) server.close()
      agent.process.kill()
      await once(agent.process, 'exit')
      folder[Symbol.dispose]()
    },
  }
}

/** FIDO keys need the software authenticator. */
function makeKeys(folder: ScratchFolder, fido: boolean): void {
  for (const name of KEY_NAMES) {
    const [kind = '', second] = name.split('-')
    const sk = kind === 'sk'
    if (sk && !fido) continue
    const args = ['-q', '-N', '', '-f', folder.file(name), '-t', sk ? `${second}-sk` : kind]
    if (kind === 'ecdsa') args.push('-b', second ?? '')
    if (kind === 'rsa') args.push('-b', '2048')
    if (sk) args.push('-w', SK_DUMMY)
    must(sk ? trixie : thisMachine, 'ssh-keygen', args)
  }
}

async function startAgent(folder: ScratchFolder, fido: boolean): Promise<{ process: ChildProcess; socket: string }> {
  const socket = folder.file('agent')
  const place = fido ? trixie : thisMachine
  const process = spawn(...place.command('ssh-agent', ['-D', '-a', socket, '-P', '/usr/local/lib/sk/*']))
  await once(process.stdout, 'data')
  const env = { SSH_AUTH_SOCK: socket }
  must(place, 'ssh-add', ['-q', folder.file('ed25519')], env)
  if (fido) {
    for (const name of ['sk-ed25519', 'sk-ecdsa'])
      must(place, 'ssh-add', ['-q', '-S', SK_DUMMY, folder.file(name)], env)
  }
  return { process, socket }
}

/** An X server that greets whoever connects. */
async function startDisplay(): Promise<Server> {
  for (let display = 50; display < 150; display += 1) {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => void socket.write('X says hello'))
    }).listen(6_000 + display, '127.0.0.1')
    try {
      await once(server, 'listening')
      return server
    } catch {
      continue
    }
  }
  throw new Error('no free TCP port for an X display')
}

function makePayload(folder: ScratchFolder, bytes: number): Payload {
  const file = folder.file(`payload-${bytes}`)
  if (!existsSync(file)) writeFileSync(file, randomBytes(bytes))
  return { file, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') }
}
