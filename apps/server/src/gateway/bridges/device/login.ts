// The `auth` stream of a device that runs no agent of ours: credentials go on to the device's own SSH server. An accepted
// one makes the inner connection the login; sessions and forwarded connections are its channels.
import type { Clock } from '@bowline/base/clock'
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import { type AuthAnswer, AuthCredential, type AuthOpen, AuthReply, AuthRound } from '@bowline/link/stream-messages'
import type { ChannelDecision, CloseCause } from '@bowline/ssh/api'
import type {
  AuthOutcome,
  ClientCredential,
  PromptRound,
  ServerChannelOpen,
  SshClientConnection,
} from '@bowline/ssh/client-api'
import type { DeviceDoor } from './door.ts'
import { HOST_KEY_CHANGED, InnerFailure, dialInner, isSameKey, lostBy } from './inner-connection.ts'

export interface LoginParts {
  readonly door: DeviceDoor
  readonly clock: Clock
  readonly open: AuthOpen
  readonly stream: LinkStream
  /** The device opens a channel to the person's side. */
  deviceChannel(request: ServerChannelOpen): Promise<ChannelDecision>
  /** The login is over; its streams end with it. */
  ended(): void
}

const MALFORMED: LinkCause = { by: 'agent', reason: 'refused', message: 'The request is malformed.' }
const PASSWORD: PromptRound = { name: '', instruction: '', prompts: [{ text: 'Password: ', echo: false }] }
const DENIED = { type: 'denied', reason: 'credential' } as const satisfies AuthAnswer

export class BridgeLogin implements StreamHandler {
  readonly #parts: LoginParts
  #client: SshClientConnection | undefined
  /** Host key that the server of `#client` has proved. */
  #proved: Uint8Array | undefined
  #accepted: SshClientConnection | undefined
  #isBusy = false
  #isClosed = false
  /** Methods that the server has named for this account. */
  #methods: readonly string[] | undefined
  #reply: ((answers: readonly string[] | undefined) => void) | undefined

  constructor(parts: LoginParts) {
    this.#parts = parts
  }

  /** The inner connection of an accepted login. */
  get client(): SshClientConnection | undefined {
    return this.#accepted
  }

  data(bytes: Uint8Array): void {
    this.#parts.stream.consumed(bytes.length)
  }

  control(message: LinkMessage): void {
    const { stream } = this.#parts
    if (this.#reply) {
      const reply = AuthReply.safeParse(message).data
      return reply ? this.#reply(reply.answers) : stream.close(MALFORMED)
    }
    const credential = AuthCredential.safeParse(message).data
    if (!credential || this.#isBusy || this.#accepted) return stream.close(MALFORMED)
    this.#isBusy = true
    this.#check(credential)
      .then((answer) => stream.control({ ...answer }))
      .catch((error: unknown) => stream.close(error instanceof InnerFailure ? error.cause : FAILED))
      .finally(() => (this.#isBusy = false))
  }

  /** Ends the login when its server has proved another key than this one. */
  requireHostKey(hostKey: Uint8Array): void {
    if (this.#client && !this.#hasProved(hostKey)) this.#parts.stream.close(HOST_KEY_CHANGED)
  }

  closed(): void {
    this.#isClosed = true
    this.#reply?.(undefined)
    // The streams first: they end because the person has left, not because a connection was lost.
    this.#parts.ended()
    this.#client?.disconnect({ by: 'local', reason: 'login-closed', message: 'The login has ended.' })
  }

  /** @throws {InnerFailure} when the server cannot be reached, or is not the one that was enrolled */
  async #check(credential: AuthCredential): Promise<AuthAnswer> {
    const client = await this.#connect()
    return this.#verdict(client, await this.#authenticate(client, credential))
  }

  /** Servers end the connection of whoever has guessed too often: the next credential gets one of its own. */
  async #try(client: SshClientConnection, credential: ClientCredential): Promise<AuthOutcome | AuthAnswer> {
    try {
      return await client.authenticate(this.#parts.open.user, credential)
    } catch (error) {
      if (this.#client === client) this.#client = undefined
      const cause = error instanceof Error ? (error.cause as CloseCause | undefined) : undefined
      if (cause?.by === 'peer' && cause.reason === 'disconnect') return DENIED
      throw cause ? new InnerFailure(lostBy(cause)) : error
    }
  }

  /** @returns the connection to a server that has proved the key that is enrolled now */
  async #connect(): Promise<SshClientConnection> {
    const client = this.#client ?? (await this.#dial())
    // A member may have accepted another key since this one was proved.
    if (!this.#hasProved(await this.#parts.door.hostKey())) throw new InnerFailure(HOST_KEY_CHANGED)
    return client
  }

  async #dial(): Promise<SshClientConnection> {
    const { door, clock } = this.#parts
    this.#methods = undefined
    const dialled: { client?: SshClientConnection } = {}
    const { client, hostKey } = await dialInner(door, clock, {
      open: (request) => this.#parts.deviceChannel(request),
      closed: (cause) => this.#lost(dialled.client, cause),
    })
    dialled.client = client
    this.#client = client
    this.#proved = hostKey
    if (this.#isClosed) this.closed()
    return client
  }

  #hasProved(hostKey: Uint8Array): boolean {
    return this.#proved !== undefined && isSameKey(this.#proved, hostKey)
  }

  #lost(client: SshClientConnection | undefined, cause: CloseCause): void {
    if (this.#client !== client) return
    this.#client = undefined
    if (this.#accepted) this.#parts.stream.close(lostBy(cause))
  }

  async #authenticate(client: SshClientConnection, credential: AuthCredential): Promise<AuthOutcome | AuthAnswer> {
    const { door, open } = this.#parts
    const { user } = open
    switch (credential.method) {
      case 'password':
        return this.#try(client, credential)
      case 'keyboard-interactive':
        return this.#answer(client)
      default: {
        const login = await door.keyLogin(user)
        if (!login) return { type: 'denied', reason: 'unsupported', message: noKeys(door.servedBy) }
        try {
          let outcome = await this.#try(client, { method: 'publickey', signer: login.signer })
          if (isRefused(outcome) && login.otherwise) {
            outcome = await this.#try(client, { method: 'publickey', signer: login.otherwise })
          }
          return isRefused(outcome) && login.refused ? { ...DENIED, message: login.refused } : outcome
        } finally {
          login.end()
        }
      }
    }
  }

  /** Asks the server's own questions; of a server that has none, the password is asked for. */
  async #answer(client: SshClientConnection): Promise<AuthOutcome | AuthAnswer> {
    if (!this.#methods) {
      const first = await this.#try(client, { method: 'none' })
      if (!('result' in first) || first.result === 'success') return first
      this.#methods = first.methods
    }
    if (this.#methods.includes('keyboard-interactive')) {
      return this.#try(client, {
        method: 'keyboard-interactive',
        answer: async (round) => (await this.#ask(round)) ?? [],
      })
    }
    const [password] = (await this.#ask(PASSWORD)) ?? []
    return password === undefined ? DENIED : this.#try(client, { method: 'password', password })
  }

  /** @returns undefined when the person has left */
  #ask({ name, instruction, prompts }: PromptRound): Promise<readonly string[] | undefined> {
    const round = AuthRound.safeParse({
      name: name.slice(0, 256),
      instruction: instruction.slice(0, 4_096),
      prompts: prompts.map(({ text, echo }) => ({ text: text.slice(0, 1_024), echo })),
    }).data
    if (!round || this.#isClosed) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#reply = (answers) => {
        this.#reply = undefined
        resolve(answers)
      }
      this.#parts.stream.control({ type: 'prompt', ...round })
    })
  }

  #verdict(client: SshClientConnection, outcome: AuthOutcome | AuthAnswer): AuthAnswer {
    if (!('result' in outcome)) return outcome
    if (outcome.result === 'success') {
      this.#accepted = client
      return { type: 'accepted' }
    }
    this.#methods = outcome.methods
    if (outcome.passwordExpired) return { type: 'denied', reason: 'expired', message: EXPIRED }
    if (outcome.partial) return { type: 'denied', reason: 'unsupported', message: PARTIAL }
    return DENIED
  }
}

const isRefused = (outcome: AuthOutcome | AuthAnswer): boolean =>
  'result' in outcome && outcome.result === 'failure' && !outcome.partial
const EXPIRED = 'The password has expired. Change it on the device itself.'
const PARTIAL = 'The device asks for more than one credential, which is not supported through the server.'
const FAILED: LinkCause = { by: 'network', reason: 'device-lost', message: 'The SSH server of the device failed.' }
const noKeys = (servedBy: string): string => `This device is served by ${servedBy}, which takes no registered keys.`
