// A double of the API of the server that people move from, for tests: one namespace, as its published contract describes it.
// It registers devices and gives them tokens that it has signed. It serves no tunnels, and misbehaves on command.
import { type KeyObject, createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** What the namespace has, in the shapes of the API. */
export interface OldState {
  name: string
  session_record: boolean
  connection_announcement: string
  members: { id: string; email: string; role: string; status: string }[]
  devices: Record<string, unknown>[]
  publicKeys: Record<string, unknown>[]
  /** Undefined: the edition has none. */
  rules: Record<string, unknown>[] | undefined
  apiKeys: Record<string, unknown>[]
}

export interface OldServerOptions {
  /** 'new': tags are objects, and members are a list of their own. */
  readonly style?: 'new'
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** Answers a request in place of the double. @returns whether it did */
export type Misbehaviour = (url: URL, response: ServerResponse, request: IncomingMessage) => boolean

export class OldServerDouble implements AsyncDisposable {
  readonly tenant = randomUUID()
  readonly apiKey = randomUUID()
  readonly state: OldState = {
    name: 'oldplace',
    session_record: false,
    connection_announcement: 'Hello from there',
    members: [],
    devices: [],
    publicKeys: [],
    rules: [],
    apiKeys: [],
  }
  /** Paths that were asked for, with their queries. */
  readonly asked: string[] = []
  /** Credentials that came, each once. */
  readonly credentials = new Set<string>()
  misbehaves: Misbehaviour = () => false
  readonly #key: KeyObject = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
  readonly #options: OldServerOptions
  readonly #server: Server

  private constructor(options: OldServerOptions) {
    this.#options = options
    const handle = (request: IncomingMessage, response: ServerResponse): void => void this.#handle(request, response)
    this.#server = options.tls ? createTlsServer(options.tls, handle) : createServer(handle)
  }

  static async start(options: OldServerOptions = {}): Promise<OldServerDouble> {
    const double = new OldServerDouble(options)
    double.#server.listen(0, '127.0.0.1')
    await once(double.#server, 'listening')
    return double
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get origin(): string {
    return `${this.#options.tls ? 'https' : 'http'}://localhost:${this.port}`
  }

  /** Token of a person in the namespace. */
  get token(): string {
    return this.#sign({ claims: 'user', id: '1', tenant: this.tenant, name: 'ada' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await Promise.resolve()
  }

  /** Adds a device with the uid that follows from its key, MAC address and namespace. */
  addDevice(device: { name: string; mac: string; public_key: string } & Record<string, unknown>): string {
    const text = `{Identity:{MAC:"${device.mac}"},PublicKey:"${device.public_key}",TenantID:"${this.tenant}"}`
    const uid = createHash('sha256').update(text).digest('hex')
    const { mac, ...rest } = device
    this.state.devices.push({
      uid,
      identity: { mac },
      info: { id: 'debian', pretty_name: 'Debian GNU/Linux 12', version: 'v0.19.0', arch: 'amd64', platform: 'native' },
      tenant_id: this.tenant,
      namespace: this.state.name,
      status: 'accepted',
      last_seen: '2026-11-01T10:00:00.123456789Z',
      online: true,
      tags: [],
      ...rest,
    })
    return uid
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin)
    const { authorization, 'x-api-key': key } = request.headers
    this.asked.push(`${url.pathname}${url.search}`)
    if (authorization) this.credentials.add(authorization)
    if (this.misbehaves(url, response, request)) return
    if (request.method === 'POST' && url.pathname === '/api/devices/auth') return this.#register(request, response)
    const isKnown = key === this.apiKey || authorization?.startsWith('Bearer ') === true
    if (!isKnown) return send(response, 401)
    if (request.method !== 'GET') return send(response, 404)
    this.#read(url, response, key !== undefined)
  }

  #read(url: URL, response: ServerResponse, isKey: boolean): void {
    const { state, tenant } = this
    const path = url.pathname
    const isNew = this.#options.style === 'new'
    if (path === '/api/auth/user')
      return isKey ? send(response, 400) : send(response, 200, { token: this.token, tenant })
    if (path === `/api/namespaces/${tenant}`) {
      const { name, session_record, connection_announcement, members } = state
      const settings = { session_record, connection_announcement }
      return send(response, 200, { name, tenant_id: tenant, settings, ...(isNew ? {} : { members }), max_devices: -1 })
    }
    if (path === `/api/namespaces/${tenant}/members` && isNew) return send(response, 200, state.members)
    const list = this.#listAt(path, url.searchParams.get('status'))
    if (!list || (path === '/api/namespaces/api-key' && isKey && isNew)) return send(response, 404)
    const [page, size] = ['page', 'per_page'].map((name) => Number(url.searchParams.get(name) ?? 10))
    const from = ((page ?? 1) - 1) * (size ?? 10)
    send(response, 200, list.slice(from, from + (size ?? 10)), { 'X-Total-Count': String(list.length) })
  }

  #listAt(path: string, status: string | null): unknown[] | undefined {
    const { devices, publicKeys, rules, apiKeys } = this.state
    const isContainer = (device: Record<string, unknown>): boolean =>
      (device['info'] as { platform: string } | null)?.platform === 'connector'
    const ofKind = (isWanted: boolean): unknown[] =>
      devices
        .filter((device) => isContainer(device) === isWanted && (!status || device['status'] === status))
        .map((device) => this.#tagged(device))
    switch (path) {
      case '/api/devices':
        return ofKind(false)
      case '/api/containers':
        return ofKind(true)
      case '/api/sshkeys/public-keys':
        return publicKeys
      case '/api/firewall/rules':
        return rules
      case '/api/namespaces/api-key':
        return apiKeys
      default:
        return undefined
    }
  }

  #tagged(device: Record<string, unknown>): unknown {
    if (this.#options.style !== 'new') return device
    const tags = (device['tags'] as string[]).map((name) => ({ name, tenant_id: this.tenant }))
    return { ...device, tags }
  }

  async #register(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as {
      hostname: string
      identity: { mac: string }
      public_key: string
      tenant_id: string
    }
    if (body.tenant_id !== this.tenant) return send(response, 404)
    const { hostname: name, identity, public_key } = body
    const known = this.state.devices.find((device) => device['public_key'] === public_key)
    const uid = known ? String(known['uid']) : this.addDevice({ name, mac: identity.mac, public_key })
    const token = this.#sign({ claims: 'device', uid, tenant: this.tenant })
    send(response, 200, { uid, token, name, namespace: this.state.name })
  }

  /** A JWT of this server: RS256, without an end. */
  #sign(claims: Record<string, unknown>): string {
    const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const iat = Math.floor(Date.now() / 1_000)
    const text = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded({ ...claims, jti: randomUUID(), iat, nbf: iat })}`
    return `${text}.${createSign('sha256').update(text).sign(this.#key, 'base64url')}`
  }
}

function send(response: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body === undefined ? '' : JSON.stringify(body))
}
