// The SSH connection of a device without an agent: its ssh client has proved a key and forwards a port of ours to the
// device's own SSH server, through which people reach the device. The port is listened on nowhere; each login opens a
// channel as if somebody had connected to it.
import { BowlineError } from '@bowline/contract/errors'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { UserAuthority } from '@bowline/contract/schemas/fleet/user-authority'
import type { LinkCause } from '@bowline/link/api'
import {
  type AuthAttempt,
  type AuthDecision,
  type ChannelDecision,
  type ChannelOpen,
  type CloseCause,
  type ConnectionHandler,
  type ListenRequest,
  OPEN_PROHIBITED,
  type SshConnection,
} from '@bowline/ssh/api'
import type { ClientSigner } from '@bowline/ssh/client-api'
import { sha256Fingerprint } from '@bowline/ssh/keys/fingerprint'
import { forwardedTcpip } from '@bowline/ssh/open-fields'
import { type IdentifiedDevice, isInstallKey } from '../../../install-keys/ssh-enrolment.ts'
import type { EnrolledDevice } from '../../../devices/enrolled/enrolled.ts'
import type { SessionCause } from '../../../sessions/service.ts'
import type { Admitted } from '../../admission/admission.ts'
import { offenceOf } from '../../admission/offence.ts'
import { transportCause } from '../../record/end-cause.ts'
import { oneLine } from '../../record/device-text.ts'
import { TEXTS, fromBowline } from '../../record/texts.ts'
import { type BridgedLinkDeps, registerBridge } from '../device/bridged-link.ts'
import type { DeviceDoor } from '../device/door.ts'
import { InnerFailure, isSameKey } from '../device/inner-connection.ts'
import { ChannelStream } from './channel-stream.ts'
import { type HostKeyDeps, scanHostKey, softwareOf, tellOfHostKey } from './host-keys.ts'
import { Screen } from './screen.ts'
import type { NamedAddress } from './snippets.ts'
import { ENROLLED_TEXTS, enrolledText } from './texts.ts'

export interface DeviceConnectionDeps extends BridgedLinkDeps, HostKeyDeps {
  /** @throws {BowlineError} with the reason for which the key or the name is refused */
  readonly identify: (user: string, key: Uint8Array, source: string) => Promise<IdentifiedDevice>
  /** A key for one login that the SSH servers of the namespace's devices trust. @param user account on the device */
  readonly certifiedKey: (found: IdentifiedDevice, user: string, device: string) => Promise<ClientSigner>
  /** A key for accounts of SSH servers that know no certificates. */
  readonly plainKey: (found: IdentifiedDevice) => Promise<ClientSigner>
  /** The lines by which they trust both. */
  readonly authorityLines: (found: IdentifiedDevice, namespace: string) => Promise<UserAuthority>
  /** Of this server, as devices reach it. */
  readonly address: NamedAddress
  /** Of the console, for links; undefined without a public name. */
  readonly console: string | undefined
  readonly isDraining: () => boolean
  readonly isCutOff: () => boolean
  /** Counts the end of a connection. */
  readonly ended: (cause: SessionCause, authenticated: boolean) => void
}

/** The forwarded port that clients without a wish of their own are told. */
const ANY_PORT = 22
/** Time between signing in and forwarding a port, in milliseconds. */
const FORWARD_MS = 30_000
const ENDED: AuthDecision = { result: 'disconnect', message: 'The connection has ended.' }

/** Calls come in the order that {@link ConnectionHandler} has. */
export class DeviceConnection implements ConnectionHandler {
  readonly #deps: DeviceConnectionDeps
  readonly #admitted: Admitted
  readonly #closed: (connection: SshConnection) => void
  #device: IdentifiedDevice | undefined
  #forward: { readonly address: string; readonly port: number } | undefined
  #screen = new Screen(() => undefined)
  #cancelWait = (): void => undefined
  /** Ends the link of the device, once it has one. */
  #unlink: ((cause: LinkCause) => void) | undefined
  #isClosed = false

  /** @param closed called once, last */
  constructor(deps: DeviceConnectionDeps, admitted: Admitted, closed: (connection: SshConnection) => void) {
    this.#deps = deps
    this.#admitted = admitted
    this.#closed = closed
  }

  async authenticate(connection: SshConnection, attempt: AuthAttempt): Promise<AuthDecision> {
    if (this.#deps.isDraining()) return { result: 'disconnect', message: TEXTS.stopping }
    if (this.#deps.isCutOff()) return { result: 'disconnect', message: TEXTS.unavailable }
    const methods = ['publickey'] as const
    if (attempt.method !== 'publickey') {
      // A service that connects again is not told each time.
      const isFirst = isInstallKey(attempt.user)
      return { result: 'reject', methods, ...(isFirst ? { message: ENROLLED_TEXTS.keyNeeded } : {}) }
    }
    const { key, user, proven } = attempt
    if (key.certificate || key.type.startsWith('sk-')) {
      return { result: 'reject', methods, message: ENROLLED_TEXTS.plainKeyNeeded }
    }
    try {
      const found = await this.#deps.identify(user, key.blob, connection.peer.address)
      if (this.#isClosed) return ENDED
      if (proven) this.#identified(connection, found)
      return { result: 'accept' }
    } catch (error) {
      if (error instanceof BowlineError) return { result: 'reject', methods, message: fromBowline(error.message) }
      this.#deps.log.error('session.error', { err: error })
      return { result: 'disconnect', message: TEXTS.unavailable }
    }
  }

  open(_connection: SshConnection, request: ChannelOpen): ChannelDecision {
    if (this.#device && request.type === 'session') return this.#screen.open()
    return { accept: false, code: OPEN_PROHIBITED, message: ENROLLED_TEXTS.noProgram }
  }

  listen(connection: SshConnection, request: ListenRequest): Promise<number | undefined> {
    const isTcp = request.type === 'tcpip-forward'
    if (!this.#device || !isTcp || this.#forward) {
      connection.explain(isTcp ? ENROLLED_TEXTS.oneForward : ENROLLED_TEXTS.notThePort)
      return Promise.resolve(undefined)
    }
    const device = this.#device
    this.#cancelWait()
    const port = request.port || ANY_PORT
    this.#forward = { address: request.address, port }
    // The client must learn the port before a channel names it.
    setImmediate(() => {
      this.#connect(connection, device).catch((error: unknown) => this.#failed(connection, error))
    })
    return Promise.resolve(port)
  }

  get tenant(): TenantId | undefined {
    return this.#device?.ctx.tenant
  }

  /** Ends the connection. */
  end(connection: SshConnection, cause: SessionCause): void {
    this.#leave(connection, { reason: cause.reason, message: fromBowline(cause.message) })
  }

  closed(connection: SshConnection, cause: CloseCause): void {
    this.#isClosed = true
    this.#cancelWait()
    try {
      this.#unlink?.({ by: 'network', reason: 'disconnected', message: 'The connection of the device has ended.' })
      if (!this.#device) this.#admitted.offend(offenceOf(cause, false))
      this.#admitted.release()
      const { by, reason, message } = cause
      this.#deps.ended(transportCause(cause, this.#device ? 'authenticated' : 'none'), this.#device !== undefined)
      this.#deps.log.info('ssh.closed', { source: connection.peer.address, by, reason, message })
    } finally {
      this.#closed(connection)
    }
  }

  #identified(connection: SshConnection, found: IdentifiedDevice): void {
    this.#device = found
    this.#admitted.authenticated()
    this.#screen = new Screen(() => this.#leave(connection, { reason: 'done', message: ENROLLED_TEXTS.left }, 0))
    this.#cancelWait = this.#deps.clock.after(FORWARD_MS, () => {
      this.#screen.say(`${ENROLLED_TEXTS.noForward}\n`)
      this.#leave(connection, { reason: 'no-forward', message: ENROLLED_TEXTS.noForward })
    })
  }

  /** Has the SSH server prove its host key, and makes the connection the link of the device. */
  async #connect(connection: SshConnection, found: IdentifiedDevice): Promise<void> {
    const openSsh = () => this.#openSsh(connection)
    const seen = await scanHostKey(this.#deps, { openSsh }, connection.peer.address, found)
    if (this.#isClosed) return
    if (!seen) return this.#leave(connection, { reason: 'busy', message: TEXTS.unavailable })
    const software = softwareOf(seen.ident)
    const isNew = found.known === undefined
    // A changed key changes nothing of what is known.
    if (found.known && !isSameKey(found.known.hostKey, seen.hostKey)) {
      return this.#refuseHostKey(connection, found, found.known, seen.hostKey)
    }
    const device = await found.register({ hostKey: seen.hostKey, software })
    // Another connection of a new device may have been first, with another server behind it.
    if (!isSameKey(device.hostKey, seen.hostKey)) return this.#refuseHostKey(connection, found, device, seen.hostKey)
    if (this.#isClosed) return
    const { agents } = this.#deps
    if (agents.isDraining) return this.#leave(connection, { reason: 'draining', message: TEXTS.stopping })
    const tunnel = {
      leavesStreams: false,
      close: ({ reason, message }: LinkCause) => {
        const text = reason === 'displaced' ? ENROLLED_TEXTS.replaced : fromBowline(message)
        this.#screen.say(`${text}\n`)
        this.#leave(connection, { reason, message: text })
      },
    }
    const remote = connection.peer.address
    const door = this.#doorOf(connection, found, device, software)
    this.#unlink = registerBridge(this.#deps, { device: found.device, door, tunnel, remote })
    // One per device from here on, as links are: it takes no room from people.
    this.#admitted.release()
    const hostKey = await sha256Fingerprint(seen.hostKey)
    const authority = await this.#deps.authorityLines(found, device.namespace)
    const { address } = this.#deps
    this.#screen.say(enrolledText({ ...device, uid: found.device.uid, hostKey, isNew, authority, address }))
  }

  #doorOf(connection: SshConnection, found: IdentifiedDevice, device: EnrolledDevice, software: string): DeviceDoor {
    const current = async (): Promise<EnrolledDevice> => {
      const known = await found.current()
      if (!known) throw new Error('the device has been removed')
      return known
    }
    return {
      openSsh: () => this.#openSsh(connection),
      openTcp: () => Promise.reject(new Error('A device without an agent has no tunnels: they need an agent on it.')),
      hostKey: async () => (await current()).hostKey,
      otherHostKey: (seen) => {
        current()
          .then((known) => tellOfHostKey(this.#deps, found, known, seen))
          .catch((error: unknown) => this.#deps.log.error('session.error', { device: found.device.uid, err: error }))
      },
      keyLogin: async (user) => ({
        signer: await this.#deps.certifiedKey(found, user, device.name),
        otherwise: await this.#deps.plainKey(found),
        refused: ENROLLED_TEXTS.notTrusted,
        end: () => undefined,
      }),
      servedBy: `its own SSH server (${software}) and no agent`,
    }
  }

  #openSsh(connection: SshConnection): Promise<ChannelStream> {
    const { address, port } = this.#forward ?? { address: '', port: 0 }
    const fields = forwardedTcpip(address, port, { address: '127.0.0.1', port: 0 })
    return new Promise((resolve, reject) => {
      connection
        .openChannel('forwarded-tcpip', fields, (channel) => {
          const stream = new ChannelStream(channel)
          resolve(stream)
          return stream.handler
        })
        .catch(reject)
    })
  }

  async #refuseHostKey(
    connection: SshConnection,
    found: IdentifiedDevice,
    known: EnrolledDevice,
    seen: Uint8Array,
  ): Promise<void> {
    const keys = await tellOfHostKey(this.#deps, found, known, seen)
    const text = ENROLLED_TEXTS.hostKeyChanged({
      ...known,
      ...keys,
      uid: found.device.uid,
      console: this.#deps.console,
    })
    this.#screen.say(text)
    this.#leave(connection, { reason: 'host-key', message: text.trimEnd() })
  }

  #failed(connection: SshConnection, error: unknown): void {
    if (this.#isClosed) return
    const isTold = error instanceof InnerFailure || error instanceof BowlineError
    if (!isTold) this.#deps.log.error('session.error', { err: error })
    let text: string = TEXTS.unavailable
    if (error instanceof InnerFailure) text = ENROLLED_TEXTS.noServer(oneLine(error.cause.message)).trimEnd()
    else if (error instanceof BowlineError) text = fromBowline(error.message)
    this.#screen.say(`${text}\n`)
    this.#leave(connection, { reason: 'not-enrolled', message: text })
  }

  /** Ends the sessions with a status, then the connection. */
  #leave(connection: SshConnection, { reason, message }: { reason: string; message: string }, status = 1): void {
    this.#screen.end(status)
    connection.disconnect({ by: 'local', reason, message })
  }
}
