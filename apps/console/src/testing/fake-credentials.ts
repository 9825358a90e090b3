// Sign-in of the fake server: short-lived access tokens, a rotating refresh cookie whose replay revokes the family,
// lockout on the third failure.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fail } from '@bowline/contract/errors'
import type { UserAuth } from '@bowline/contract/schemas/user'
import type { FakeUser } from './fake-state.ts'
import { OWNER, TENANT } from './fixtures.ts'

export class Credentials {
  /** Open event streams: they end with the tokens. */
  readonly streams = new Set<ServerResponse>()
  /** Number of cookies exchanged. */
  refreshCount = 0
  lockoutSeconds = 60
  readonly #tokens = new Set<string>()
  /** Cookie → its family; a rotated cookie stays here, marked as `used`. */
  readonly #cookies = new Map<string, { family: string; used: boolean }>()
  readonly #failures = new Map<string, { count: number; lockedUntil: number }>()

  isValid(authorization: string | undefined): boolean {
    return this.#tokens.has((authorization ?? '').replace(/^Bearer /, ''))
  }

  /** Invalidates every access token and ends the streams, as expiry would. Cookies stay valid. */
  expireTokens(): void {
    this.#tokens.clear()
    this.endStreams()
  }

  /** Invalidates the cookies too: everybody has to sign in again. */
  expireSessions(): void {
    this.#cookies.clear()
    this.expireTokens()
  }

  endStreams(): void {
    for (const stream of this.streams) stream.end()
  }

  start(user: FakeUser, response: ServerResponse): UserAuth {
    return this.#issue(user, randomUUID(), response)
  }

  refresh(user: FakeUser | undefined, request: IncomingMessage, response: ServerResponse): UserAuth {
    const session = this.#cookies.get(cookieOf(request))
    if (!session || !user) fail('UNAUTHORIZED')
    if (session.used) {
      for (const [cookie, { family }] of this.#cookies) if (family === session.family) this.#cookies.delete(cookie)
      fail('UNAUTHORIZED')
    }
    session.used = true
    this.refreshCount += 1
    return this.#issue(user, session.family, response)
  }

  end(request: IncomingMessage, response: ServerResponse): void {
    const session = this.#cookies.get(cookieOf(request))
    for (const [cookie, { family }] of this.#cookies) if (family === session?.family) this.#cookies.delete(cookie)
    this.#tokens.clear()
    response.setHeader('set-cookie', 'bowline=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0')
  }

  /** @returns Unix time in seconds at which the lockout of a username ends, 0 when there is none */
  lockedUntil(username: string): number {
    const until = this.#failures.get(username)?.lockedUntil ?? 0
    return until > Date.now() / 1000 ? until : 0
  }

  failed(username: string): number {
    const count = (this.#failures.get(username)?.count ?? 0) + 1
    const lockedUntil = count >= 3 ? Math.ceil(Date.now() / 1000) + this.lockoutSeconds : 0
    this.#failures.set(username, { count, lockedUntil })
    return lockedUntil
  }

  #issue(user: FakeUser, family: string, response: ServerResponse): UserAuth {
    const cookie = randomUUID()
    this.#cookies.set(cookie, { family, used: false })
    response.setHeader('set-cookie', `bowline=${cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000`)
    const iat = Math.floor(Date.now() / 1000)
    const payload = Buffer.from(JSON.stringify({ iat, exp: iat + 600, id: randomUUID() })).toString('base64url')
    const token = `fake.${payload}.fake`
    this.#tokens.add(token)
    return {
      token,
      id: OWNER,
      origin: 'local',
      auth_methods: ['local'],
      user: user.username,
      name: user.name,
      email: user.email,
      pending_email: '',
      recovery_email: '',
      tenant: TENANT,
      role: user.role,
      grants: [],
      mfa: false,
      has_password: true,
      max_namespaces: -1,
      instance_admin: user.instanceAdmin ?? false,
    }
  }
}

function cookieOf(request: IncomingMessage): string {
  return /(?:^|;\s*)bowline=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? ''
}
