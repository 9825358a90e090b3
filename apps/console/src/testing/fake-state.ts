// State of the fake server and the stream of its changes: one namespace, its devices, sessions and events.
import type { Info, ServerCertificates, ServerNode } from '@bowline/contract/operations/instance'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Device, DeviceStatus } from '@bowline/contract/schemas/device'
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { Role } from '@bowline/contract/roles'
import type { Session } from '@bowline/contract/schemas/session'
import { makeDevice, makeSession } from './fixtures.ts'

export interface FakeUser {
  name: string
  email: string
  username: string
  password: string
  role: Role
  /** Looks after the server. Default: no. */
  instanceAdmin?: boolean
}

export class FakeState {
  readonly devices = new Map<string, Device>()
  readonly sessions = new Map<string, Session>()
  user: FakeUser | undefined = {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    username: 'ada',
    password: 'correct horse',
    role: 'owner',
  }
  setupSign = 'b0a71e5ee'
  reachable = true
  /** Sign-in methods. */
  authentication: Info['authentication'] = { local: true, saml: false, openid: [], passkeys: false }
  /** People who may create an account. */
  registration: 'closed' | 'invited' | 'open' = 'closed'
  pin = ''
  /** It runs by itself. */
  nodes: readonly ServerNode[] = [
    {
      id: '5d0f3c9a-6a0e-4b7c-9d59-0f4b8a1c2e3d',
      address: '',
      version: 'v0.1.0',
      state: 'alive',
      started_at: '2026-11-20T08:00:00.000Z',
      heartbeat_at: '2026-11-24T09:00:00.000Z',
      links: 12,
      sessions: 3,
      is_this: true,
    },
  ]
  /** The server speaks HTTP. */
  certificates: ServerCertificates = { acme: false, directory: '', email: '', challenge: null, certificates: [] }
  /** When set, the events call answers `reset` to clients that resume. */
  readonly #events: { id: number; event: LiveEvent }[] = []
  readonly #listeners = new Set<(id: number, event: LiveEvent) => void>()
  #count = 0

  publish(event: LiveEvent): void {
    this.#count += 1
    this.#events.push({ id: this.#count, event })
    for (const listener of this.#listeners) listener(this.#count, event)
  }

  /** Calls back for every event after `lastId`, then for each new one. @returns unsubscribe */
  follow(lastId: number | undefined, listener: (id: number, event: LiveEvent) => void): () => void {
    if (lastId !== undefined) {
      for (const { id, event } of this.#events) if (id > lastId) listener(id, event)
    }
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  addDevice(overrides: Partial<Device> = {}): Device {
    const device = makeDevice(this.devices.size, Date.now(), overrides)
    this.devices.set(device.uid, device)
    this.publish(device.status === 'pending' ? { type: 'device.pending', device } : { type: 'device.changed', device })
    return device
  }

  changeDevice(uid: string, change: Partial<Device>): Device | undefined {
    const before = this.devices.get(uid)
    if (!before) return undefined
    const device = { ...before, ...change }
    this.devices.set(uid, device)
    this.publish({ type: 'device.changed', device })
    return device
  }

  setStatus(uid: string, status: DeviceStatus): Device | undefined {
    const at = new Date().toISOString()
    return this.changeDevice(uid, { status, status_updated_at: at, status_update_at: at })
  }

  setOnline(uid: string, online: boolean): void {
    this.changeDevice(uid, { online, last_seen: new Date().toISOString() })
  }

  removeDevice(uid: DeviceUid): boolean {
    if (!this.devices.delete(uid)) return false
    for (const session of this.sessions.values()) if (session.device_uid === uid) this.sessions.delete(session.uid)
    this.publish({ type: 'device.removed', uid })
    return true
  }

  startSession(device: Device, overrides: Partial<Session> = {}): Session {
    const now = Date.now()
    const at = new Date(now).toISOString()
    const session = makeSession(this.sessions.size, now, device, { started_at: at, last_seen: at, ...overrides })
    this.sessions.set(session.uid, session)
    this.publish({ type: 'session.started', session })
    return session
  }

  endSession(uid: string, by: string, reason: string, message: string): void {
    const before = this.sessions.get(uid)
    if (!before) return
    const at = new Date().toISOString()
    const session = { ...before, active: false, last_seen: at, closed: { at, by, reason, message } }
    this.sessions.set(uid, session)
    this.publish({ type: 'session.ended', session })
  }
}
