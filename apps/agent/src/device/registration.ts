// Registration with the platform (`POST /api/devices/auth`): once before the first link, and then every ten minutes, so
// that the platform's information about the device stays current and an expired token is replaced.
import type { KeyObject } from 'node:crypto'
import {
  type AgentFacts,
  type RegistrationFacts,
  type RegistrationProof,
  signAgentFacts,
  signRegistration,
} from '@bowline/link/registration-proof'
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
  update: z.object({ release: z.number() }).optional(),
  handover: z.boolean().optional(),
})
/** The platform's answer to a registration. */
export type Registration = z.infer<typeof Registered>

/** Facts of the device in its registration. */
export interface DeviceFacts {
  readonly description: DeviceDescription
  readonly hostname: string
  readonly identity: string
  readonly publicKeyPem: string
  readonly installKey: string | undefined
}

/** The device's data in a registration. */
export interface RegistrationData extends DeviceFacts {
  /** Namespace in which it registers. */
  readonly tenantId: string
}

/** The server refused, or it is not a Bowline server. `status` is the HTTP status. */
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

/** `clockAheadSeconds`: how far this machine's clock is ahead of the server's, if the server sent its time. */
export interface Registering {
  readonly registration: Registration
  readonly clockAheadSeconds: number | undefined
}

/** Signing parameters of a registration; unavailable while the device does not know its server's statement key. */
export interface Signing {
  readonly privateKey: KeyObject
  /** Raw 32 bytes. */
  readonly statementKey: Uint8Array
  /** Seconds by which this machine's clock is ahead of the server's. */
  readonly clockAheadSeconds: number
  /** Facts about the agent for the server. */
  readonly agent: AgentFacts
}

/**
 * @param sessions uids of the platform sessions that are open on this device
 * @param signing undefined at first contact: the server then treats the registration as unauthenticated
 * @throws {RegistrationError | ConnectError | Error}
 */
export async function register(
  server: Server,
  facts: RegistrationData,
  sessions: readonly string[],
  signing: Signing | undefined,
  signal: AbortSignal,
): Promise<Registering> {
  const fields = {
    info: facts.description,
    sessions,
    hostname: facts.hostname,
    identity: { mac: facts.identity },
    public_key: facts.publicKeyPem,
    tenant_id: facts.tenantId,
    ...(facts.installKey === undefined ? {} : { install_key: facts.installKey }),
  }
  const body = signing ? { ...fields, ...signed(fields, signing) } : fields
  const userAgent = userAgentOf(facts)
  const answer = await callServer(server, { method: 'POST', path: '/api/devices/auth', userAgent, body }, signal)
  if (answer.status !== 200) throw new RegistrationError(answer, refusalText(answer, facts.tenantId))
  const registered = Registered.safeParse(answer.body)
  if (!registered.success) throw new RegistrationError(answer, 'the answer is not that of a Bowline server')
  return { registration: registered.data, clockAheadSeconds: answer.clockAheadSeconds }
}

function signed(
  facts: RegistrationFacts,
  { privateKey, statementKey, clockAheadSeconds, agent }: Signing,
): { proof: RegistrationProof; agent: AgentFacts & { signature: string } } {
  const at = Date.now() - clockAheadSeconds * 1_000
  const proof = signRegistration(privateKey, facts, Buffer.from(statementKey).toString('base64url'), at)
  return { proof, agent: { ...agent, signature: signAgentFacts(privateKey, agent, proof) } }
}

/**
 * Requests the server's description.
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
  if (answer.status !== 200 || !info.success) throw new RegistrationError(answer, refusalText(answer, undefined))
  const sshHost = info.data.endpoints?.ssh.replace(/:\d+$/, '')
  return { version: info.data.version, sshHost, clockAheadSeconds: answer.clockAheadSeconds }
}

export function userAgentOf(facts: DeviceFacts): string {
  return `bowline-agent/${facts.description.version}`
}

/**
 * Error text with advice for the device's operator.
 * @param tenantId namespace that the call was about; undefined for one that was about none
 */
export function refusalText({ status, headers, body }: Answer, tenantId: string | undefined): string {
  if (status >= 300 && status < 400) {
    return `the server redirects to ${String(headers['location'])}: set BOWLINE_SERVER_ADDRESS to where it really is`
  }
  const told = z.object({ message: z.string() }).safeParse(body)
  const detail = told.success ? `: ${told.data.message}` : ''
  if (status === 404 && tenantId !== undefined)
    return `the server knows no namespace ${tenantId} (BOWLINE_TENANT_ID)${detail}`
  return `the server answered ${status}${detail}`
}
