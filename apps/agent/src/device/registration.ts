// Registering with the platform (`POST /api/devices/auth`): once before the first link, and again every ten minutes, so
// that the platform's picture of the device stays fresh and a new token replaces one that the server no longer takes.
import type { KeyObject } from 'node:crypto'
import { type RegistrationFacts, type RegistrationProof, signRegistration } from '@bowline/link/registration-proof'
import * as z from 'zod'
import type { DeviceDescription } from './identity.ts'
import { callServer, type Answer, type Server } from './server-api.ts'

const Info = z.object({ version: z.string(), endpoints: z.object({ ssh: z.string() }).optional() })
const Registered = z.object({
  uid: z.string().regex(/^[0-9a-f]{64}$/),
  token: z.string().min(1).max(8_192),
  name: z.string(),
  namespace: z.string(),
  statement_key: z.base64url().optional(),
  statement_key_signature: z.base64url().optional(),
})
/** What the platform knows the device as. */
export type Registration = z.infer<typeof Registered>

/** What is told at a registration. */
export interface DeviceFacts {
  readonly description: DeviceDescription
  readonly hostname: string
  readonly identity: string
  readonly publicKeyPem: string
  readonly tenantId: string
}

/** The server refused, or it is not a Bowline server. `status` is that of HTTP. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError'
  readonly status: number
  readonly retryAfterSeconds: number | undefined
  constructor(answer: Answer, message: string) {
    super(message)
    this.status = answer.status
    const seconds = Number(answer.headers['retry-after'])
    this.retryAfterSeconds = Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
  }
}

/** Seconds by which this machine's clock is ahead of the server's, when the server told its time. */
export interface Registering {
  readonly registration: Registration
  readonly clockAheadSeconds: number | undefined
}

/** What a registration is signed with; a device that does not know its server's statement key yet cannot sign. */
export interface Signing {
  readonly privateKey: KeyObject
  /** Raw 32 bytes. */
  readonly statementKey: Uint8Array
  /** Seconds by which this machine's clock is ahead of the server's. */
  readonly clockAheadSeconds: number
}

/**
 * @param sessions uids of the platform sessions that are open on this device
 * @param signing undefined at the first contact: the server then takes it for anybody's
 * @throws {RegistrationError | ConnectError | Error}
 */
export async function register(
  server: Server,
  facts: DeviceFacts,
  sessions: readonly string[],
  signing: Signing | undefined,
  signal: AbortSignal,
): Promise<Registering> {
  const said = {
    info: facts.description,
    sessions,
    hostname: facts.hostname,
    identity: { mac: facts.identity },
    public_key: facts.publicKeyPem,
    tenant_id: facts.tenantId,
  }
  const body = signing ? { ...said, proof: proofOf(said, signing) } : said
  const userAgent = userAgentOf(facts)
  const answer = await callServer(server, { method: 'POST', path: '/api/devices/auth', userAgent, body }, signal)
  if (answer.status !== 200) throw new RegistrationError(answer, refusalText(answer, facts.tenantId))
  const registered = Registered.safeParse(answer.body)
  if (!registered.success) throw new RegistrationError(answer, 'the answer is not that of a Bowline server')
  return { registration: registered.data, clockAheadSeconds: clockAhead(answer) }
}

function proofOf(said: RegistrationFacts, { privateKey, statementKey, clockAheadSeconds }: Signing): RegistrationProof {
  const at = Date.now() - clockAheadSeconds * 1_000
  return signRegistration(privateKey, said, Buffer.from(statementKey).toString('base64url'), at)
}

function clockAhead({ headers }: Answer): number | undefined {
  const serverTime = Date.parse(String(headers['date']))
  return Number.isNaN(serverTime) ? undefined : Math.round((Date.now() - serverTime) / 1000)
}

/**
 * Asks the server what it is.
 * @throws {RegistrationError | ConnectError | Error}
 */
export async function serverInfo(
  server: Server,
  facts: DeviceFacts,
  signal: AbortSignal,
): Promise<{ version: string; sshHost: string | undefined; clockAheadSeconds: number | undefined }> {
  const path = `/info?agent_version=${encodeURIComponent(facts.description.version)}`
  const answer = await callServer(server, { method: 'GET', path, userAgent: userAgentOf(facts) }, signal)
  const info = Info.safeParse(answer.body)
  if (answer.status !== 200 || !info.success) throw new RegistrationError(answer, refusalText(answer, facts.tenantId))
  const sshHost = info.data.endpoints?.ssh.replace(/:\d+$/, '')
  return { version: info.data.version, sshHost, clockAheadSeconds: clockAhead(answer) }
}

function userAgentOf(facts: DeviceFacts): string {
  return `bowline-agent/${facts.description.version}`
}

/** Says what the operator of the device can do about it. */
function refusalText({ status, headers, body }: Answer, tenantId: string): string {
  if (status >= 300 && status < 400) {
    return `the server redirects to ${String(headers['location'])}: set BOWLINE_SERVER_ADDRESS to where it really is`
  }
  const told = z.object({ message: z.string() }).safeParse(body)
  const detail = told.success ? `: ${told.data.message}` : ''
  if (status === 404) return `the server knows no namespace ${tenantId} (BOWLINE_TENANT_ID)${detail}`
  return `the server answered ${status}${detail}`
}
