// The handshake before any stream: the gateway sends a challenge, the agent its proof, the gateway a welcome. Each side
// announces the credit it grants on every new stream. Anything else, or a timeout, ends the connection with a cause.
import { type KeyObject, randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { Clock } from '@bowline/base/clock'
import {
  type Link,
  LINK_DEFAULTS,
  type LinkCause,
  type LinkHandler,
  type LinkMessage,
  type LinkOptions,
} from '../api.ts'
import { type Side, decodeCause, encodeCause, otherSide, parseJson } from '../wire/cause.ts'
import { signProof, verifyProof } from './device-proof.ts'
import { FRAME, FrameBatch, FrameDecoder, type FrameSink, type FrameType } from '../wire/frame.ts'
import { startLink } from '../session/link.ts'
import type { Transport, TransportEvents } from '../session/transport.ts'

/** Result of an attempt to establish a link. */
export type LinkOutcome = { readonly link: Link } | { readonly cause: LinkCause }

/** Parameters that both ends supply. */
export interface LinkOwner {
  readonly handler: LinkHandler
  readonly clock: Clock
  readonly options?: Partial<LinkOptions>
  /** Awaited before a proof is verified, which takes a part of a millisecond: thousands may arrive at once. */
  readonly turn?: () => Promise<void>
  /** Called with what one of the owner's callbacks threw, and the callback's name. */
  report(error: unknown, callback: string): void
}

/** Protocol version inside the subprotocol; raised when a peer of the previous version could not continue. */
const VERSION = 1
const HANDSHAKE_TIMEOUT_MS = 10_000
/** The only frames either side may send before the proof. */
const HANDSHAKE_FRAMES: ReadonlySet<FrameType> = new Set([FRAME.hello, FRAME.close])

const windowBytes = z
  .number()
  .int()
  .min(1)
  .max(16 * 1024 * 1024)
const Challenge = z.object({
  type: z.literal('challenge'),
  version: z.literal(VERSION),
  nonce: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  windowBytes,
})
const Proof = z.object({ type: z.literal('proof'), signature: z.string().max(2_048), windowBytes })
const Welcome = z.object({ type: z.literal('welcome') })

/** One step of a side's handshake: processes the peer's next hello. */
type Step = (hello: unknown) => Progress
/** Result of a hello: a refusal, an answer and the next step, or the link. */
type Progress =
  | { readonly refuse: LinkCause }
  | { readonly reply?: LinkMessage; readonly next: Step }
  | { readonly reply?: LinkMessage; readonly peerWindowBytes: number }

/**
 * The gateway's side. The handler is only called once the device has proved its key.
 * @param device uid, and public key as registered (SPKI or PKCS #1 PEM; Ed25519 or RSA)
 */
export function serverHandshake(
  transport: Transport,
  device: { uid: string; publicKeyPem: string },
  owner: LinkOwner,
): Promise<LinkOutcome> {
  const nonce = randomBytes(32).toString('base64url')
  const proof: Step = (hello) => {
    const parsed = Proof.safeParse(hello)
    if (!parsed.success) return { refuse: unexpected('agent', 'a proof') }
    if (!verifyProof(device.publicKeyPem, device.uid, nonce, parsed.data.signature)) {
      return {
        refuse: { by: 'gateway', reason: 'wrong-proof', message: 'the signature is not by the key of the device' },
      }
    }
    return { reply: { type: 'welcome' }, peerWindowBytes: parsed.data.windowBytes }
  }
  const challenge = { type: 'challenge', version: VERSION, nonce, windowBytes: ownWindow(owner) }
  return new Handshake('gateway', transport, owner, proof).begin(challenge)
}

/**
 * The agent's side.
 * @param device uid as issued by the server, and the private key whose public half is registered
 */
export function clientHandshake(
  transport: Transport,
  device: { uid: string; privateKey: KeyObject },
  owner: LinkOwner,
): Promise<LinkOutcome> {
  const challenge: Step = (hello) => {
    const parsed = Challenge.safeParse(hello)
    if (!parsed.success) return { refuse: unexpected('gateway', `a challenge of version ${VERSION}`) }
    const signature = signProof(device.privateKey, device.uid, parsed.data.nonce)
    return {
      reply: { type: 'proof', signature, windowBytes: ownWindow(owner) },
      next: (answer) =>
        Welcome.safeParse(answer).success
          ? { peerWindowBytes: parsed.data.windowBytes }
          : { refuse: unexpected('gateway', 'a welcome') },
    }
  }
  return new Handshake('agent', transport, owner, challenge).begin()
}

class Handshake implements FrameSink, TransportEvents {
  readonly #side: Side
  readonly #transport: Transport
  readonly #owner: LinkOwner
  readonly #batch = new FrameBatch()
  readonly #decoder: FrameDecoder
  #step: Step
  #cancelTimer: () => void = () => undefined
  #resolve: (outcome: LinkOutcome) => void = () => undefined
  #over = false
  /** A hello waits for its turn. */
  #isWaiting = false

  constructor(side: Side, transport: Transport, owner: LinkOwner, step: Step) {
    this.#side = side
    this.#transport = transport
    this.#owner = owner
    this.#step = step
    this.#decoder = new FrameDecoder(this, HANDSHAKE_FRAMES)
  }

  begin(reply?: LinkMessage): Promise<LinkOutcome> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.#cancelTimer = this.#owner.clock.after(HANDSHAKE_TIMEOUT_MS, () =>
        this.#refuse({ by: 'network', reason: 'handshake-timeout', message: 'the handshake took longer than 10 s' }),
      )
      this.#transport.listen(this)
      if (reply) this.#send(reply)
    })
  }

  bytes(chunk: Uint8Array): void {
    const fault = this.#decoder.push(chunk)
    if (fault !== undefined) this.#refuse({ by: otherSide(this.#side), reason: 'protocol', message: fault })
  }

  drain(): void {
    // A handshake never sends enough to hit backpressure.
  }

  closed(cause: LinkCause): void {
    this.#fail(cause)
  }

  data(): void {
    this.#refuse(unexpected(otherSide(this.#side), 'a hello'))
  }

  frame(type: FrameType, stream: number, payload: Uint8Array): void {
    if (type === FRAME.close && stream === 0) {
      const cause = decodeCause(payload, otherSide(this.#side))
      this.#fail(cause)
      return this.#transport.close(cause)
    }
    if (type !== FRAME.hello) return this.#refuse(unexpected(otherSide(this.#side), 'a hello'))
    if (this.#isWaiting) return this.#refuse(unexpected(otherSide(this.#side), 'one hello after the other'))
    const hello = parseJson(payload)
    const { turn } = this.#owner
    if (!turn) return this.#proceed(hello)
    this.#isWaiting = true
    void turn().then(() => {
      this.#isWaiting = false
      if (!this.#over) this.#proceed(hello)
    })
  }

  #proceed(hello: unknown): void {
    const progress = this.#take(hello)
    if ('refuse' in progress) return this.#refuse(progress.refuse)
    if (progress.reply) this.#send(progress.reply)
    if ('next' in progress) this.#step = progress.next
    else this.#succeed(progress.peerWindowBytes)
  }

  #take(hello: unknown): Progress {
    try {
      return this.#step(hello)
    } catch (error) {
      this.#owner.report(error, 'handshake')
      return { refuse: { by: this.#side, reason: 'internal-error', message: 'the handshake failed' } }
    }
  }

  #send(hello: LinkMessage): void {
    this.#batch.add(FRAME.hello, 0, Buffer.from(JSON.stringify(hello)))
    this.#transport.send(this.#batch.take())
  }

  /** The link takes over immediately: frames that follow in the same chunk are already for its streams. */
  #succeed(peerWindowBytes: number): void {
    if (this.#over) return
    this.#over = true
    this.#cancelTimer()
    this.#decoder.allowed = undefined
    const owner = this.#owner
    const { handler, clock, options } = owner
    const link = startLink({
      transport: this.#transport,
      side: this.#side,
      handler,
      clock,
      peerWindowBytes,
      decoder: this.#decoder,
      report: (error, callback) => owner.report(error, callback),
      ...(options ? { options } : {}),
    })
    this.#resolve({ link })
  }

  #refuse(cause: LinkCause): void {
    if (this.#over) return
    this.#batch.add(FRAME.close, 0, encodeCause(cause))
    this.#transport.send(this.#batch.take())
    this.#transport.close(cause)
    this.#fail(cause)
  }

  #fail(cause: LinkCause): void {
    if (this.#over) return
    this.#over = true
    this.#cancelTimer()
    this.#decoder.stop()
    this.#resolve({ cause })
  }
}

function ownWindow(owner: LinkOwner): number {
  return owner.options?.windowBytes ?? LINK_DEFAULTS.windowBytes
}

function unexpected(by: Side, what: string): LinkCause {
  return { by, reason: 'protocol', message: `the ${by} did not send ${what}` }
}
