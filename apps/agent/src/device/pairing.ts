// Pairing: a device without a namespace shows a code, and waits until a member has added it to theirs by that code.
import type { KeyObject } from 'node:crypto'
import type { Clock } from '@bowline/base/clock'
import { signPairing } from '@bowline/link/registration-proof'
import * as z from 'zod'
import type { Log } from '../log.ts'
import { type DeviceFacts, RegistrationError, refusalText, serverInfo, userAgentOf } from './registration.ts'
import { callServer, type Answer, type Server } from './server-api.ts'

const Code = z.object({
  device_code: z.string().min(1).max(128),
  user_code: z.string().regex(/^[A-Z]{4}-[A-Z]{4}$/),
  fingerprint: z.string().max(128),
  expires_in: z.number(),
  interval: z.number(),
})
const Paired = z.object({ tenant_id: z.guid(), namespace: z.string() })
/** The namespace that the device was added to. */
export type Paired = z.infer<typeof Paired>
const Refusal = z.object({ code: z.string() })

/** Least and longest wait between two questions, whatever the server asks for: seconds. */
const WAIT_SECONDS = { min: 5, max: 60 }
/** A wait is so much longer than the one before it, up to three times the first. */
const SLOWER = 1.1

export interface PairingParts {
  readonly server: Server
  readonly facts: DeviceFacts
  readonly privateKey: KeyObject
  readonly clock: Clock
  readonly log: Log
  /** Uniform in [0, 1). */
  random(): number
}

/**
 * Shows codes in the log, one after the other, until a member has used one.
 * @param signal ends the wait
 * @throws {RegistrationError | ConnectError | Error} when no code is to be had
 */
export async function pair(parts: PairingParts, signal: AbortSignal): Promise<Paired> {
  const { log } = parts
  for (let isRenewed = false; ; isRenewed = true) {
    const code = await requestCode(parts, signal)
    const minutes = Math.round(code.expires_in / 60)
    // A warning, so that it is shown at most levels: nothing works before somebody has read it.
    log.warn(isRenewed ? 'pairing.renewed' : 'pairing.code', {
      code: code.user_code,
      fingerprint: code.fingerprint,
      minutes,
    })
    const paired = await awaitMember(parts, code, signal)
    if (paired) return paired
  }
}

async function requestCode(
  { server, facts, privateKey }: PairingParts,
  signal: AbortSignal,
): Promise<z.infer<typeof Code>> {
  // Asked each time: the clock of a device without a battery is set some time after its start.
  const { clockAheadSeconds = 0 } = await serverInfo(server, facts, signal)
  const fields = {
    info: facts.description,
    hostname: facts.hostname,
    identity: { mac: facts.identity },
    public_key: facts.publicKeyPem,
  }
  const proof = signPairing(privateKey, fields, Date.now() - clockAheadSeconds * 1_000)
  const call = {
    method: 'POST',
    path: '/api/pairings',
    userAgent: userAgentOf(facts),
    body: { ...fields, proof },
  } as const
  const answer = await callServer(server, call, signal)
  if (answer.status !== 200) throw new RegistrationError(answer, refusalText(answer, undefined))
  const code = Code.safeParse(answer.body)
  if (!code.success) throw new RegistrationError(answer, 'the answer is not that of a Bowline server')
  return code.data
}

/**
 * Asks until a member has used the code. Limits of the rate, failures of the server and of the network are tried again.
 * @returns undefined when the code has expired
 */
async function awaitMember(
  parts: PairingParts,
  code: z.infer<typeof Code>,
  signal: AbortSignal,
): Promise<Paired | undefined> {
  const { server, facts, clock } = parts
  const call = {
    method: 'POST',
    path: '/api/pairings/poll',
    userAgent: userAgentOf(facts),
    body: { device_code: code.device_code },
  } as const
  const first = Math.min(Math.max(code.interval, WAIT_SECONDS.min), WAIT_SECONDS.max)
  for (let seconds = first; ; seconds = Math.min(seconds * SLOWER, 3 * first)) {
    // Up to a second more, so that devices that started together do not ask together.
    await pause(clock, (seconds + parts.random()) * 1_000, signal)
    const answer = await callServer(server, call, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      return error
    })
    // The network: a code outlives its failures.
    if (!isAnswer(answer)) continue
    if (answer.status === 200) return pairedOf(answer)
    const refusal = Refusal.safeParse(answer.body).data?.code
    if (refusal === 'CODE_EXPIRED') return undefined
    const passes = refusal === 'CODE_PENDING' || refusal === 'CODE_TOO_FAST' || answer.status === 429
    if (!passes && answer.status < 500) throw new RegistrationError(answer, refusalText(answer, undefined))
  }
}

function isAnswer(answer: unknown): answer is Answer {
  return typeof answer === 'object' && answer !== null && 'status' in answer && 'headers' in answer
}

function pairedOf(answer: Answer): Paired {
  const paired = Paired.safeParse(answer.body)
  if (!paired.success) throw new RegistrationError(answer, 'the answer is not that of a Bowline server')
  return paired.data
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel()
      reject(signal.reason as Error)
    }
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', stop)
      resolve()
    })
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
