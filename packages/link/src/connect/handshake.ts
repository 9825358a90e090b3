// Before any stream: the gateway sends a challenge, the agent its proof, the gateway a welcome. Each side names the
// credit that it grants on every new stream. Anything else, or nothing in time, ends the connection with a cause.
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

/** How an attempt at a link ended. */
export type LinkOutcome = { readonly link: Link } | { readonly cause: LinkCause }

/** What both ends bring to a link. */
export interface LinkOwner {
  readonly handler: LinkHandler
  readonly clock: Clock
  readonly options?: Partial<LinkOptions>
  /** Told what a callback of the owner threw, and which callback it was. */
  report(error: unknown, callback: string): void
}

/** The protocol inside the subprotocol; raised when a peer of the old one could not go on. */
const VERSION = 1
const HANDSHAKE_MS = 10_000
/** All that either side may send before the proof. */
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

/** One side's part: takes the peer's next hello. */
type Step = (hello: unknown) => Progress
/** What a hello leads to: a refusal of it, an answer and the next step, or the link. */
type Progress =
  | { readonly refuse: LinkCause }
  | { readonly say?: LinkMessage; readonly next: Step }
  | { readonly say?: LinkMessage; readonly peerWindowBytes: number }

/**
 * The gateway's part. The handler is not called before the device has proved its key, and not at all when it does not.
 * @param device uid, and public key as registered (SPKI or PKCS #1 PEM; Ed25519 or RSA)
 */
export function greetAgent(
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
    return { say: { type: 'welcome' }, peerWindowBytes: parsed.data.windowBytes }
  }
  const challenge = { type: 'challenge', version: VERSION, nonce, windowBytes: ownWindow(owner) }
  return new Handshake('gateway', transport, owner, proof).begin(challenge)
}

/**
 * The agent's part.
 * @param device uid as the server gave it, and the private key whose public half it has registered
 */
export function greetGateway(
  transport: Transport,
  device: { uid: string; privateKey: KeyObject },
  owner: LinkOwner,
): Promise<LinkOutcome> {
  const challenge: Step = (hello) => {
    const parsed = Challenge.safeParse(hello)
    if (!parsed.success) return { refuse: unexpected('gateway', `a challenge of version ${VERSION}`) }
    const signature = signProof(device.privateKey, device.uid, parsed.data.nonce)
    return {
      say: { type: 'proof', signature, windowBytes: ownWindow(owner) },
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

  constructor(side: Side, transport: Transport, owner: LinkOwner, step: Step) {
    this.#side = side
    this.#transport = transport
    this.#owner = owner
    this.#step = step
    this.#decoder = new FrameDecoder(this, HANDSHAKE_FRAMES)
  }

  begin(say?: LinkMessage): Promise<LinkOutcome> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.#cancelTimer = this.#owner.clock.after(HANDSHAKE_MS, () =>
        this.#refuse({ by: 'network', reason: 'handshake-timeout', message: 'the handshake took longer than 10 s' }),
      )
      this.#transport.listen(this)
      if (say) this.#say(say)
    })
  }

  bytes(chunk: Uint8Array): void {
    const fault = this.#decoder.push(chunk)
    if (fault !== undefined) this.#refuse({ by: otherSide(this.#side), reason: 'protocol', message: fault })
  }

  drain(): void {
    // What a handshake says is far below any backlog.
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
    const progress = this.#take(parseJson(payload))
    if ('refuse' in progress) return this.#refuse(progress.refuse)
    if (progress.say) this.#say(progress.say)
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

  #say(hello: LinkMessage): void {
    this.#batch.add(FRAME.hello, 0, Buffer.from(JSON.stringify(hello)))
    this.#transport.send(this.#batch.take())
  }

  /** The link takes over here and now: frames that follow in the same chunk are already for its streams. */
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
