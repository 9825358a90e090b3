// Doors of tunnels: who may enter. Members of the namespace come with a one-use link from the console, others type a
// password; both then have a pass, which is judged again at every request.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { fail } from '@bowline/contract/errors'
import { TunnelVisitBody } from '@bowline/contract/schemas/tunnel'
import type { DeviceUid, UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Rates } from '../../budgets/rates.ts'
import type { PasswordHasher } from '../../auth/password-hashes/passwords.ts'
import type { Schema } from '../../db/schema.ts'
import type { BrowserVisitor } from '../../held-logins/browser-factor.ts'
import { findEndedMemberships } from '../../membership/membership.ts'
import { getAccount } from '../../users/service.ts'
import { type LiveTunnel, findLive, tenantOfDisabled } from '../live.ts'
import { cookieOf } from '../proxy/headers/cookies.ts'
import type { Origin } from '../proxy/headers/headers.ts'
import { type Page, failurePage, passwordPage, redirectPage, wantsJson } from '../proxy/pages.ts'
import { tunnelUrl } from '../service.ts'
import { countGuesses } from './guesses.ts'
import { type Pass, markOf, passCookie, passCookieName, passEnd, readPass } from './passes.ts'

/** Visit that a one-use link admits to. */
export interface Visit {
  readonly address: string
  readonly user: UserId
  readonly epoch: number
  /** Id of the sign-in at the console. */
  readonly signIn: string
  readonly path: string
  /** When the second factor was proven, milliseconds since the epoch; absent where the namespace asks for none. */
  readonly provenAt?: number
}

/** A person at the console. */
type Person = Pick<Visit, 'user' | 'epoch' | 'signIn'>

/** Second factors of members who come by the console, in namespaces that ask for one. */
export interface DoorFactors {
  /** Whether the member has proven it for a network. */
  isProven(visitor: BrowserVisitor): Promise<boolean>
  /** Lets the network pass from which a member comes who has proven it in the console at that time. */
  note(visitor: Omit<BrowserVisitor, 'hours'>, at: Date): Promise<void>
}

export interface DoorkeeperDeps {
  /** System connection. */
  readonly system: Kysely<Schema>
  readonly clock: Clock
  readonly passwords: Pick<PasswordHasher, 'verify'>
  /** Counts guesses, over all nodes. */
  readonly rates: Rates
  /** Signs the passes. */
  readonly secret: string
  readonly factors: DoorFactors
  /** Whether a person's sign-in at the console goes on. */
  readonly isSignedIn: (user: UserId, signIn: string) => Promise<boolean>
  readonly domain: string
  /** Origin of the console. */
  readonly origin: () => string
  readonly visits: {
    issue(visit: Visit, source: string): string | Promise<string>
    take(ticket: string): Visit | undefined | Promise<Visit | undefined>
  }
}

/** A request at a door. */
export interface Visitor {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly origin: Origin
  /** The request's body. */
  readonly body: Readable
}

export interface Doorkeeper {
  /**
   * A link into a tunnel for a member of its namespace.
   * @param requireFactor refuses a member without the second factor that the device's namespace asks for
   * @throws {BowlineError} NOT_FOUND, NAMESPACE_DISABLED, TOO_MANY_REQUESTS, and those of `requireFactor`
   */
  visitLink(
    visitor: Pick<Visit, 'user' | 'signIn'>,
    address: string,
    path: string,
    requireFactor: (device: DeviceUid) => Promise<Date | undefined>,
  ): Promise<string>
  /** @returns undefined for a visitor who may enter, otherwise the answer */
  ask(tunnel: LiveTunnel, visitor: Visitor): Promise<Page | undefined>
  /** Judges a visitor who is inside. */
  mayStay(tunnel: LiveTunnel, visitor: Pick<Visitor, 'headers' | 'origin'>): Promise<boolean>
}

const MAX_FORM_BYTES = 4_096
const DOOR_PATH = '/.bowline/door'
const VISIT_PATH = '/.bowline/visit'

export function createDoorkeeper(deps: DoorkeeperDeps): Doorkeeper {
  const { system, clock, secret } = deps
  const guesses = countGuesses(deps.rates)

  async function isMember(tunnel: Pick<LiveTunnel, 'tenant'>, { user, epoch, signIn }: Person): Promise<boolean> {
    const [account, isSignedIn] = await Promise.all([getAccount(system, user), deps.isSignedIn(user, signIn)])
    if (!isSignedIn || account?.status !== 'confirmed' || account.tokenEpoch !== epoch) return false
    return (await findEndedMemberships(system, [{ tenant: tunnel.tenant, user }])).length === 0
  }

  /** A member from a network for which they have proven the second factor, where the namespace asks for one. */
  async function mayVisit(tunnel: LiveTunnel, visit: Person, address: string): Promise<boolean> {
    if (!(await isMember(tunnel, visit))) return false
    const { tenant, factorHours: hours } = tunnel
    return hours === undefined || deps.factors.isProven({ tenant, person: visit.user, address, hours })
  }

  async function judge(tunnel: LiveTunnel, pass: Pass | undefined, address: string): Promise<boolean> {
    if (pass?.door !== tunnel.door) return false
    if (pass.door === 'namespace') return mayVisit(tunnel, pass, address)
    return tunnel.passwordHash !== undefined && pass.mark === markOf(tunnel.passwordHash)
  }

  async function mayStay(tunnel: LiveTunnel, { headers, origin }: Pick<Visitor, 'headers' | 'origin'>) {
    if (tunnel.door === 'none') return true
    const value = cookieOf(headers.cookie, passCookieName(origin.secure))
    return judge(tunnel, readPass(value, secret, tunnel.address, clock.now()), origin.remote)
  }

  /** Redeems a one-use link. */
  async function redeem(tunnel: LiveTunnel, { url, headers, origin }: Visitor): Promise<Page> {
    const ticket = new URL(url, 'http://tunnel').searchParams.get('ticket') ?? ''
    const visit = await deps.visits.take(ticket)
    const admitted = visit?.address === tunnel.address && (await isMember(tunnel, visit))
    const asksForFactor = tunnel.factorHours !== undefined
    if (!visit || !admitted || (asksForFactor && visit.provenAt === undefined))
      return failurePage('VISIT_OVER', headers.accept)
    const { user, epoch, signIn, address } = visit
    // Browsers may reach the tunnel from another network than the console, as by IPv6 and by IPv4.
    if (asksForFactor && visit.provenAt !== undefined) {
      const visitor = { tenant: tunnel.tenant, person: user, address: origin.remote }
      await deps.factors.note(visitor, new Date(visit.provenAt))
    }
    const pass = { door: 'namespace' as const, address, until: passEnd(clock.now()), user, epoch, signIn }
    return redirectPage(visit.path, { 'set-cookie': passCookie(pass, secret, origin.secure) })
  }

  async function askPassword(tunnel: LiveTunnel, visitor: Visitor): Promise<Page> {
    const { headers, origin, method, url } = visitor
    const isForm = method === 'POST' && url.split('?')[0] === DOOR_PATH
    if (!isForm)
      return wantsJson(headers.accept) ? failurePage('PASSWORD', headers.accept) : passwordPage(safePath(url))
    const form = await readForm(visitor.body)
    const path = safePath(form?.get('path') ?? '/')
    const password = form?.get('password') ?? ''
    if (!(await guesses.begin(tunnel, origin.remote))) return failurePage('TOO_MANY', headers.accept)
    if (!(await deps.passwords.verify(tunnel.passwordHash, password, origin.remote))) {
      return wantsJson(headers.accept)
        ? failurePage('PASSWORD', headers.accept)
        : passwordPage(path, 'The password is wrong.')
    }
    await guesses.admit(tunnel, origin.remote)
    const mark = markOf(tunnel.passwordHash ?? '')
    const pass = { door: 'password' as const, address: tunnel.address, until: passEnd(clock.now()), mark }
    return redirectPage(path, { 'set-cookie': passCookie(pass, secret, origin.secure) })
  }

  return {
    mayStay,
    async visitLink({ user, signIn }, address, path, requireFactor) {
      const tunnel = (await findLive(system, [address], clock.now())).get(address)
      const account = await getAccount(system, user)
      const visit = account && { address, user, epoch: account.tokenEpoch, signIn, path }
      if (tunnel?.protocol !== 'http' || !visit || !(await isMember(tunnel, visit))) {
        const tenant = await tenantOfDisabled(system, address)
        const isOfDisabled =
          tenant && account && (await isMember({ tenant }, { user, epoch: account.tokenEpoch, signIn }))
        return isOfDisabled ? fail('NAMESPACE_DISABLED') : fail('NOT_FOUND', { what: 'The tunnel' })
      }
      const url = tunnelUrl(deps, tunnel.name ?? address)
      if (tunnel.door !== 'namespace') return url + path
      const proven = await requireFactor(tunnel.device)
      const ticket = await deps.visits.issue({ ...visit, ...(proven ? { provenAt: proven.getTime() } : {}) }, user)
      return `${url}${VISIT_PATH}?ticket=${encodeURIComponent(ticket)}`
    },
    async ask(tunnel, visitor) {
      if (tunnel.door === 'none') return undefined
      const { headers, method, url } = visitor
      if (tunnel.door === 'namespace' && method === 'GET' && url.split('?')[0] === VISIT_PATH) {
        return redeem(tunnel, visitor)
      }
      if (await mayStay(tunnel, visitor)) {
        // Other tunnels are the same site to browsers, so SameSite does not keep their pages out.
        return isForeign(visitor) ? failurePage('FOREIGN', headers.accept) : undefined
      }
      if (tunnel.door === 'password') return askPassword(tunnel, visitor)
      const isPage = (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '')
      if (!isPage || headers.upgrade !== undefined) return failurePage('SIGN_IN', headers.accept)
      return redirectPage(`${deps.origin()}/tunnels/${tunnel.address}?path=${encodeURIComponent(safePath(url))}`)
    },
  }
}

/**
 * True for requests that a page of another origin causes, other than following a link. A frame is no link: a page of
 * another tunnel could have its visitor click in it unseen.
 */
function isForeign({ headers, method, origin }: Visitor): boolean {
  const site = headers['sec-fetch-site']
  const isPage = (headers['sec-fetch-dest'] ?? 'document') === 'document'
  const follows = headers['sec-fetch-mode'] === 'navigate' && isPage && (method === 'GET' || method === 'HEAD')
  if (site !== undefined) return (site === 'same-site' || site === 'cross-site') && !follows
  // Older browsers say only their origin.
  if (headers.origin === undefined || follows) return false
  const own = URL.parse(`${origin.secure ? 'https' : 'http'}://${origin.host}`)
  return URL.parse(headers.origin)?.host !== own?.host
}

/** A path of the tunnel; `/` for what could lead elsewhere. */
function safePath(path: string): string {
  const parsed = TunnelVisitBody.safeParse({ path })
  return parsed.success && !parsed.data.path.startsWith('/.bowline/') ? parsed.data.path : '/'
}

async function readForm(body: Readable): Promise<URLSearchParams | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_FORM_BYTES) return undefined
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
