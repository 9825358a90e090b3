// Canary secrets, used correctly and incorrectly: no log and no file of the server may contain one.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { messageFrame, readFrame } from '@bowline/contract/terminal/frames'
import {
  type ClientMessage,
  ServerMessage,
  TERMINAL_PATH,
  TERMINAL_SUBPROTOCOL,
} from '@bowline/contract/terminal/messages'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Agent, startAgent } from './support/agent.ts'
import type { Running } from './support/running.ts'
import { type Server, startServer } from './support/server.ts'
import { ssh } from './support/ssh.ts'

let server: Server
let agent: Agent
let folder: string
const me = userInfo().username

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-canaries-'))
  server = await startServer({ env: { BOWLINE_LOG_LEVEL: 'trace' } })
  agent = await startAgent(server, 'canary-device')
})
afterAll(async () => {
  await agent.remove()
  await server.remove()
  await rm(folder, { recursive: true, force: true })
})

/** Non-secret values that are stored. */
const KNOWN = ['canary-key', 'canary-public-key', 'canary-device']
/** Secrets that must appear nowhere, by kind. */
const planted = new Map<string, string>()

function plant(what: string, secret = randomBytes(12).toString('hex')): string {
  planted.set(what, secret)
  return secret
}

/** Everything that a program prints from now on, plus its earlier output. */
function listen(program: Running): () => string {
  let received = program.output()
  for (const stream of [program.child.stdout, program.child.stderr])
    stream?.on('data', (text: string) => (received += text))
  return () => received
}

const post = (path: string, body: string): Promise<Response> =>
  fetch(server.origin + path, { method: 'POST', body, headers: { 'content-type': 'application/json' } })

/** A new password, tokens, a wrong password, and malformed bodies and URLs that contain a secret. */
async function signIn(): Promise<void> {
  const { call } = await server.client()
  const { username, password: legacySocket } = server.account
  const password = plant('the password of an account')
  await call(operations.users.update, { body: { password, current_password: legacySocket } })
  const { token } = (await (await post('/api/login', JSON.stringify({ username, password }))).json()) as {
    token: string
  }
  plant('the token of a login', token.split('.')[2])
  const cookies = await post('/api/auth/session', JSON.stringify({ username, password }))
  plant('a refresh cookie', /=([^;]+)/.exec(cookies.headers.get('set-cookie') ?? '')?.[1])
  const wrong = await post('/api/login', JSON.stringify({ username, password: plant('a wrong password') }))
  expect(wrong.status).toBe(401)
  const cut = await post('/api/login', `{"username":"${username}","password":"${plant('a password in a cut body')}`)
  expect(cut.status).toBe(422)
  await fetch(`${server.origin}/api/devices?token=${plant('a token in an address')}`)
  await fetch(`${server.origin}/api/devices`, {
    headers: { authorization: `Bearer ${plant('a token that is none')}` },
  })
}

async function useKey(client: Awaited<ReturnType<Server['client']>>): Promise<void> {
  const { body } = await client.call(operations.apiKeys.create, { body: { name: 'canary-key', expires_at: 30 } })
  const id = plant('an API key', body.id)
  const listed = await fetch(`${server.origin}/api/devices`, { headers: { 'x-api-key': id } })
  expect(listed.status).toBe(200)
  await fetch(`${server.origin}/api/devices/${id}`, { headers: { 'x-api-key': `${id}x` } })
}

async function useSsh({ call }: Awaited<ReturnType<Server['client']>>): Promise<void> {
  plant('a password on the device', agent.target.password)
  expect((await ssh(agent.target, ['echo canary-shell'])).code).toBe(0)
  const wrong = plant('a wrong password on the device')
  expect((await ssh({ ...agent.target, password: wrong }, ['true'])).code).not.toBe(0)
  const file = join(folder, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file])
  // The private half of the key is at the end of the file (PROTOCOL.key of OpenSSH).
  plant('a private key', (await readFile(file, 'utf8')).split('\n').at(-4))
  const data = (await readFile(`${file}.pub`)).toString('base64')
  await call(operations.publicKeys.create, {
    body: { name: 'canary-public-key', username: '.*', filter: { hostname: '.*' }, data },
  })
  const options = ['-i', file, '-o', 'PubkeyAuthentication=yes', '-o', 'PasswordAuthentication=no']
  expect((await ssh(agent.target, ['true'], { options })).code).toBe(0)
}

/** Opens a web terminal with ticket and password, and one with the legacy protocol. */
async function useTerminals({ call }: Awaited<ReturnType<Server['client']>>): Promise<void> {
  const headers = { Origin: server.origin }
  const params = { uid: agent.device.uid }
  const { body } = await call(operations.terminals.open, { params, body: { username: me } })
  const ticket = plant('the ticket of a web terminal', body.ticket)
  const socket = new WebSocket(server.origin.replace('http', 'ws') + TERMINAL_PATH, {
    protocols: [TERMINAL_SUBPROTOCOL],
    headers,
  })
  socket.binaryType = 'arraybuffer'
  await once(socket, 'open')
  const send = (message: ClientMessage): void => socket.send(messageFrame(message))
  const received = async (type: ServerMessage['type']): Promise<ServerMessage> => {
    for (;;) {
      const [event] = (await once(socket, 'message')) as [{ data: ArrayBuffer }]
      const frame = readFrame(new Uint8Array(event.data))
      if (frame?.kind !== 'message') continue
      const message = ServerMessage.parse(JSON.parse(frame.text))
      if (message.type === type) return message
    }
  }
  send({ type: 'hello', ticket, term: 'xterm', columns: 80, rows: 24, width: 0, height: 0 })
  await received('welcome')
  send({ type: 'password', password: plant('a wrong password of a web terminal') })
  await received('refused')
  send({ type: 'password', password: agent.target.password })
  const ready = await received('ready')
  plant('the token of a resumption', ready.type === 'ready' ? ready.token : '')
  socket.close()
  const { body: legacy } = await call(operations.terminals.openLegacy, {
    body: {
      device: agent.device.uid,
      username: me,
      password: plant('a password of a terminal of the legacy kind'),
    },
  })
  plant('the token of a terminal of the legacy kind', legacy.token)
  const legacySocket = new WebSocket(`${server.origin.replace('http', 'ws')}/ws/ssh?token=${legacy.token}`, { headers })
  await once(legacySocket, 'close')
}

/** Every byte that the server stores on disk: tables, WAL, deleted but not overwritten data, recordings, keys. */
async function* files(): AsyncGenerator<{ path: string; bytes: Buffer }> {
  for (const entry of await readdir(server.dataFolder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) yield { path, bytes: await readFile(path) }
  }
}

it('writes no secret to a log or to a file of the server', async () => {
  const logs = { server: listen(server.process), agent: listen(agent.process) }
  const client = await server.client()
  await useKey(client)
  await useSsh(client)
  await useTerminals(client)
  await signIn()
  await agent.process.end()
  await server.process.end()
  const forms = [...planted].flatMap(([what, secret]) => {
    const bytes = Buffer.from(secret)
    return [secret, bytes.toString('hex'), bytes.toString('base64url').slice(0, -2)].map((form) => ({ what, form }))
  })
  expect([...planted.values()].filter((secret) => secret.length < 16)).toEqual([])
  const found: string[] = []
  const search = (where: string, bytes: Buffer): void => {
    for (const { what, form } of forms) if (bytes.includes(form)) found.push(`${what} in ${where}`)
  }
  // Proves that the search works: non-secret values are found in both logs and in the tables.
  expect(logs.server()).toContain(agent.device.uid)
  expect(logs.agent()).toContain(agent.device.name)
  const seen = new Set<string>()
  search('the log of the server', Buffer.from(logs.server()))
  search('the log of the agent', Buffer.from(logs.agent()))
  for await (const { path, bytes } of files()) {
    search(path, bytes)
    for (const name of KNOWN) if (bytes.includes(name)) seen.add(name)
  }
  expect(seen).toEqual(new Set(KNOWN))
  expect(found).toEqual([])
})
