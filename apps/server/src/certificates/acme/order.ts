// One order of a certificate (RFC 8555 section 7.4): from the names to the chain.
import type { KeyObject } from 'node:crypto'
import type { AcmeChallenge } from '@bowline/contract/settings/acme-challenge'
import type { Clock } from '@bowline/base/clock'
import * as z from 'zod'
import type { TlsMaterial } from '../../platform/network/certificate.ts'
import { type AcmeClient, type Answered, parse } from './client.ts'
import { AcmeError, problemOf } from './errors.ts'
import { keyAuthorization } from './jws.ts'
import { pause } from './pause.ts'
import { makeRequest, requireUsable } from './request.ts'

const Challenge = z.object({
  type: z.string(),
  url: z.string(),
  status: z.string(),
  token: z.string().optional(),
  error: z.unknown().optional(),
})
const Authorization = z.object({
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  identifier: z.object({ type: z.string(), value: z.string() }),
  challenges: z.array(Challenge).max(20),
})
type Authorization = z.infer<typeof Authorization>
const Order = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: z.array(z.string()).max(20),
  finalize: z.string(),
  certificate: z.string().optional(),
  error: z.unknown().optional(),
})
type Order = z.infer<typeof Order>

/** Tokens are base64url (section 8.1); anything else must reach neither an address nor a program. */
const TOKEN = /^[A-Za-z0-9_-]{16,128}$/
const FIRST_LOOK_MS = 250
const LONGEST_LOOK_MS = 5_000
/** An authority that asks for more is not waited for: the attempt fails, and the next one keeps to it. */
const LONGEST_WAIT_MS = 30_000

/** Something that the authority will look for. `name` is without the `*.` of a wildcard. */
export interface Proof {
  readonly kind: AcmeChallenge
  readonly name: string
  readonly token: string
  readonly answer: string
}

export interface OrderParts {
  readonly client: AcmeClient
  readonly key: KeyObject
  readonly clock: Clock
  /** Ends the order. */
  readonly signal: AbortSignal
  /** Makes a proof visible. @returns removes it again */
  readonly show: (proof: Proof) => Promise<() => Promise<void>>
}

export interface Wanted {
  readonly names: readonly string[]
  readonly challenge: AcmeChallenge
  /** Identifier of the certificate that the new one replaces (RFC 9773); undefined if there is none. */
  readonly replaces: string | undefined
}

/**
 * Gets a certificate.
 * @throws {AcmeError} with the authority's reason, or what is wrong with what it has issued
 */
export async function order(parts: OrderParts, wanted: Wanted): Promise<TlsMaterial> {
  const { client, clock } = parts
  const { url, made } = await begin(client, wanted)
  for (const address of made.authorizations) await authorize(parts, address, wanted)
  const ready = await settled(parts, url, isReady, made.status === 'pending' ? undefined : made)
  const { csr, key } = await makeRequest(wanted.names)
  // The authority may have finished the order of an earlier attempt, with another key.
  if (ready.status !== 'ready') throw new AcmeError(`The order is ${ready.status} before it is finalized.`)
  await client.post(ready.finalize, { csr }, 'The authority refuses the request')
  const { certificate } = await settled(parts, url, (one) => one.status === 'valid')
  if (certificate === undefined) throw new AcmeError('The authority names no address of the certificate.')
  const { text } = await client.post(certificate, undefined, 'The authority does not hand the certificate over')
  const issued = { cert: text, key }
  requireUsable(issued, wanted.names, clock.now())
  return issued
}

async function begin(client: AcmeClient, { names, replaces }: Wanted): Promise<{ url: string; made: Order }> {
  const { newOrder } = await client.directory()
  const identifiers = names.map((value) => ({ type: 'dns', value }))
  const ask = (more: object): Promise<Answered> =>
    client.post(newOrder, { identifiers, ...more }, 'The authority refuses the order')
  const answer = await ask(replaces === undefined ? {} : { replaces }).catch((error: unknown) => {
    // What it replaces only eases limits: an order that is refused for it is made without.
    const isAboutIt = error instanceof AcmeError && ['alreadyReplaced', 'malformed'].includes(error.type)
    if (replaces === undefined || !isAboutIt) throw error
    return ask({})
  })
  return { url: answer.location, made: parse(Order, answer, 'The order') }
}

/** Proves one name, unless that has been done already. */
async function authorize(parts: OrderParts, url: string, { names, challenge: kind }: Wanted): Promise<void> {
  const { client, clock, key, signal } = parts
  const read = async (): Promise<{ authorization: Authorization; waitMs: number }> => {
    const answer = await client.post(url, undefined, 'The authority refuses the authorization')
    return { authorization: parse(Authorization, answer, 'The authorization'), waitMs: answer.waitMs }
  }
  const { authorization } = await read()
  if (authorization.status === 'valid') return
  const name = authorization.identifier.value.toLowerCase()
  // It becomes the name of a record: the program may change other zones, too.
  if (!names.some((wanted) => wanted.replace(/^\*\./, '') === name)) {
    throw new AcmeError('The authority asks for the proof of a name that was not ordered.')
  }
  const challenge = authorization.challenges.find(({ type }) => type === kind)
  if (challenge?.token === undefined) throw new AcmeError(`The authority offers no ${kind} for ${name}.`)
  if (!TOKEN.test(challenge.token)) throw new AcmeError('The token of the authority is not as RFC 8555 says.')
  const answer = keyAuthorization(challenge.token, key)
  const hide = await parts.show({ kind, name, token: challenge.token, answer })
  try {
    await client.post(challenge.url, {}, 'The authority refuses the challenge')
    for (let looks = 0; ; looks += 1) {
      const { authorization: now, waitMs } = await read()
      if (now.status === 'valid') return
      if (now.status !== 'pending') throw refusalOf(now, kind)
      await pause(clock, delayMs(looks, waitMs), signal)
    }
  } finally {
    await hide()
  }
}

function refusalOf({ identifier, challenges, status }: Authorization, kind: string): AcmeError {
  const error = challenges.find((one) => one.type === kind)?.error
  return problemOf(`The authority could not verify ${identifier.value} by ${kind} (${status})`, 0, error)
}

/** Follows an order until it is as wanted. @throws {AcmeError} when it has failed */
async function settled(
  { client, clock, signal }: OrderParts,
  url: string,
  isWanted: (order: Order) => boolean,
  known?: Order,
): Promise<Order> {
  if (known && isWanted(known)) return known
  for (let looks = 0; ; looks += 1) {
    const answer = await client.post(url, undefined, 'The authority refuses the order')
    const now = parse(Order, answer, 'The order')
    if (now.status === 'invalid') throw problemOf('The authority has given the order up', 0, now.error)
    if (isWanted(now)) return now
    await pause(clock, delayMs(looks, answer.waitMs), signal)
  }
}

const isReady = ({ status }: Order): boolean => status === 'ready' || status === 'valid'

/** @param waitMs what the authority asks for; 0 */
function delayMs(looks: number, waitMs: number): number {
  const own = Math.min(LONGEST_LOOK_MS, FIRST_LOOK_MS * 2 ** looks)
  return waitMs > LONGEST_WAIT_MS ? LONGEST_WAIT_MS : Math.max(own, waitMs)
}
