// A protocol double of an existing agent, for tests: registers, opens a tunnel of transport 1 or 2, and joins its streams with
// a real SSH server. It does what such agents do on the wire, and fails on command. It is no agent: it knows no accounts.
import { type KeyObject, createHash, createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { serveDialled } from './dialled.ts'
import { serveMultiplexed } from './multiplexed.ts'
import type { Faults, TunnelParts } from './parts.ts'

export type { Faults }

export interface AgentDoubleOptions {
  /** Origin of the server's API. */
  readonly server: string
  readonly tenant: string
  readonly transport: 1 | 2
  readonly hostname: string
  /** RSA; its public key is registered. */
  readonly privateKey: KeyObject
  /** Port of the SSH server on loopback that serves the streams. */
  readonly innerPort: number
  readonly version?: string
  readonly faults?: Faults
}

export class AgentDouble implements AsyncDisposable {
  readonly options: AgentDoubleOptions
  readonly faults: Faults
  /** Answers to its registrations, the oldest first. */
  readonly registrations: { uid: string; token: string; name: string }[] = []
  /** SSH bytes that came before its own identification: real agents lose them. */
  earlyBytes = 0
  /** SSH streams that it has served. */
  streams = 0
  /** Streams of any kind that are open. */
  openStreams = 0
  /** Status codes of refused tunnels. */
  readonly refusals: number[] = []
  /** Tunnels that have stood. */
  tunnels = 0
  /** Answers to its requests for signatures: the status of each. */
  readonly signatures: number[] = []
  readonly #sockets = new Set<Duplex>()
  #control: WebSocket | undefined
  #isOver = false

  private constructor(options: AgentDoubleOptions) {
    this.options = options
    this.faults = options.faults ?? {}
  }

  /** Registers, and dials its tunnel, again whenever it is lost. */
  static async start(options: AgentDoubleOptions): Promise<AgentDouble> {
    const double = new AgentDouble(options)
    await double.register()
    void double.#keepTunnel()
    return double
  }

  /** Registers, once more. @throws {Error} when the server refuses */
  async register(hostname = this.options.hostname): Promise<void> {
    const { tenant, privateKey, version = 'v0.19.0' } = this.options
    const body = {
      info: { id: 'debian', pretty_name: 'Debian GNU/Linux 12', version, arch: 'amd64', platform: 'native' },
      hostname,
      identity: { mac: '02:00:00:00:00:01' },
      public_key: createPublicKey(privateKey).export({ format: 'pem', type: 'pkcs1' }),
      tenant_id: tenant,
    }
    const answer = await this.#post('/api/devices/auth', body)
    if (!answer.ok) throw new Error(`the server answered ${answer.status} to the registration`)
    this.registrations.push((await answer.json()) as { uid: string; token: string; name: string })
  }

  get uid(): string {
    return this.registrations[0]?.uid ?? ''
  }

  /** True while its tunnel stands. */
  get isConnected(): boolean {
    return this.#control?.readyState === WebSocket.OPEN
  }

  /** Loses its tunnel, as a network does: without a word. */
  drop(): void {
    this.#control?.terminate()
  }

  /**
   * Has the server sign for a login by the offered key, with the token and the name of the first registration, as real
   * agents do.
   * @param keyBlob wire encoding of the offered key
   * @returns whether its signature is right
   */
  async vouches(user: string, keyBlob: Buffer): Promise<boolean> {
    const [first] = this.registrations
    const data = JSON.stringify({ Username: user, Namespace: first?.name })
    const md5 = createHash('md5').update(keyBlob).digest('hex')
    const fingerprint = md5.replaceAll(/..(?=.)/g, '$&:')
    const answer = await this.#post('/api/auth/ssh', { fingerprint, data }, first?.token)
    this.signatures.push(answer.status)
    if (!answer.ok) return false
    const { signature } = (await answer.json()) as { signature: string }
    return verify('sha256', Buffer.from(data), rsaOf(keyBlob), Buffer.from(signature, 'base64'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    this.#control?.terminate()
    for (const socket of this.#sockets) socket.destroy()
    await Promise.resolve()
  }

  async #keepTunnel(): Promise<void> {
    const parts: TunnelParts = {
      faults: this.faults,
      dial: (path, token) => this.#dial(path, token),
      opened: (stream) => {
        this.openStreams += 1
        stream.on('close', () => (this.openStreams -= 1))
      },
      serveSsh: (stream) => void this.#serveSsh(stream).catch(() => stream.destroy()),
      dialTarget: async (host, port) => this.#keep(await connected(host, port)),
    }
    while (!this.#isOver) {
      if (!this.faults.staysAway) await this.#tunnelOnce(parts)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async #tunnelOnce(parts: TunnelParts): Promise<void> {
    const isFirst = this.options.transport === 1
    const token = this.registrations.at(-1)?.token
    try {
      const control = await this.#dial(isFirst ? '/ssh/connection' : '/agent/connection', token)
      this.#control = control
      this.tunnels += 1
      const ended = once(control, 'close')
      if (isFirst) serveDialled(control, parts)
      else serveMultiplexed(control, parts)
      control.resume()
      await ended
    } catch (error) {
      this.refusals.push(Number(/\d{3}/.exec(String(error))?.[0] ?? 0))
    }
  }

  async #dial(path: string, token?: string): Promise<WebSocket> {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    const socket = new WebSocket(this.options.server.replace(/^http/, 'ws') + path, {
      headers,
      perMessageDeflate: false,
    })
    socket.on('error', () => undefined)
    // What comes with the answer waits for whoever reads it.
    socket.on('open', () => socket.pause())
    await once(socket, 'open')
    return socket
  }

  /** Real agents read the opening through a buffer: what came with it, or before they have spoken, is lost. */
  async #serveSsh(stream: Duplex): Promise<void> {
    this.streams += 1
    this.#keep(stream)
    const inner = this.#keep(await connected('127.0.0.1', this.options.innerPort))
    const lose = (bytes: Buffer): void => void (this.earlyBytes += bytes.length)
    stream.on('data', lose)
    const [ident] = (await once(inner, 'data')) as [Buffer]
    stream.off('data', lose)
    stream.write(ident)
    stream.pipe(inner).pipe(stream)
    stream.on('close', () => inner.destroy())
    inner.on('close', () => stream.destroy())
  }

  #keep<T extends Duplex>(socket: T): T {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
    return socket
  }

  #post(path: string, body: object, token?: string): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) }
    return fetch(this.options.server + path, { method: 'POST', headers, body: JSON.stringify(body) })
  }
}

async function connected(host: string, port: number): Promise<Duplex> {
  const socket = connect({ host, port, noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** The key of an `ssh-rsa` blob (RFC 4253 section 6.6). */
function rsaOf(blob: Buffer): KeyObject {
  const fields: Buffer[] = []
  for (let at = 0; at + 4 <= blob.length;) {
    const length = blob.readUInt32BE(at)
    fields.push(blob.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  const [, e, n] = fields.map((field) => field.toString('base64url'))
  return createPublicKey({ key: { kty: 'RSA', e: e ?? '', n: n ?? '' }, format: 'jwk' })
}

/**
 * A program that sshd asks for the keys of an account (`AuthorizedKeysCommand`): each has the server sign, as existing agents
 * do before they accept one.
 * @returns lines of `sshd_config`
 */
export async function askingForKeys(double: () => AgentDouble): Promise<{ lines: string[]; close(): void }> {
  const http = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams
    const [user, type, key] = [query.get('user') ?? '', query.get('type') ?? '', query.get('key') ?? '']
    double()
      .vouches(user, Buffer.from(key, 'base64'))
      .then((isRight) => response.end(isRight ? `${type} ${key}\n` : ''))
      .catch(() => response.destroy())
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  const command = `/usr/bin/curl -sf -G --data-urlencode user=%u --data-urlencode type=%t --data-urlencode key=%k http://127.0.0.1:${port}/`
  return {
    lines: [`AuthorizedKeysCommand ${command}`, 'AuthorizedKeysCommandUser root'],
    close: () => void http.close(),
  }
}
