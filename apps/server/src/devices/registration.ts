// Registration of devices: `POST devices/auth`, called by agents without a credential. Data not signed by the device's
// key creates at most a pending row, and yields a token that only opens a link, where the key is proved.
import { createPublicKey } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import type { DeviceAuth, DeviceAuthBody } from '@bowline/contract/schemas/device'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { AgentReport } from '@bowline/contract/schemas/fleet/agent-update'
import { verifyAgentFacts, verifyRegistration } from '@bowline/link/registration-proof'
import type { TenantContext } from '../context.ts'
import type { TokenIssuer } from '../auth/tokens.ts'
import { describeDevices } from './describe.ts'
import { deviceName, deviceUid } from './identity.ts'
import { makeRoomForPending } from './pending.ts'
import { findDevice, upsertDevice } from './store.ts'

export interface RegistrationDeps {
  readonly tokens: TokenIssuer
  /** Raw Ed25519 public key, base64url. */
  readonly statementKey: string
  /** Context of the namespace; undefined when it does not exist. */
  readonly contextOf: (tenant: TenantId, source: string) => Promise<TenantContext | undefined>
  /**
   * Checks an install key.
   * @returns tags, and if the key says so accepts, a device that registers with it
   * @throws {BowlineError} INSTALL_KEY_REFUSED
   */
  readonly installKey: (
    ctx: TenantContext,
    key: string,
  ) => Promise<(ctx: TenantContext, uid: DeviceUid) => Promise<void>>
  /** Records what a device has told about its agent. @returns what it is told about updates */
  readonly reportAgent: (
    ctx: TenantContext,
    uid: DeviceUid,
    report: AgentReport,
  ) => Promise<Pick<DeviceAuth, 'update' | 'handover'>>
}

/** Tolerated difference between the signed time and ours, in milliseconds. */
const PROOF_TOLERANCE_MS = 300_000

/**
 * Registers or refreshes a device. An accepted device is refreshed only by data that its key has signed.
 * @throws {BowlineError} NOT_FOUND for an unknown namespace; INVALID_INPUT for an invalid key or identity;
 *   INSTALL_KEY_REFUSED for a new device with an install key that is unknown, expired or used up
 */
export async function registerDevice(
  deps: RegistrationDeps,
  body: DeviceAuthBody,
  source: string,
): Promise<DeviceAuth> {
  const ctx = (await deps.contextOf(body.tenant_id, source)) ?? fail('NOT_FOUND', { what: 'The namespace' })
  const mac = body.identity?.mac ?? ''
  const name = deviceName(body.hostname ?? undefined, mac)
  if (!body.identity || !name) fail('INVALID_INPUT', { field: 'identity', rule: 'is required' }, ['identity'])
  requireUsableKey(body.public_key)
  const uid = deviceUid({ mac, publicKey: body.public_key, tenant: ctx.tenant })
  const known = await findDevice(ctx.db, uid)
  // Agents register again and again: only the first time counts as a use of the key.
  const enrol = body.install_key && !known ? await deps.installKey(ctx, body.install_key) : undefined
  if (!known) await makeRoomForPending(ctx)
  const proof = recentProof(ctx, body)
  const isSigned = proof !== undefined && verifyRegistration(body, deps.statementKey, proof)
  const outcome = await upsertDevice(ctx.db, {
    uid,
    tenant_id: ctx.tenant,
    name,
    hostname: body.hostname ?? null,
    mac: mac === '' ? null : mac.toLowerCase(),
    info: body.info,
    public_key: body.public_key,
    remote_addr: source,
    signed_at: isSigned ? new Date(proof.at) : null,
    ...ctx.locate(source),
  })
  const isNew = outcome === 'inserted'
  const row = (isNew ? undefined : known) ?? (await findDevice(ctx.db, uid)) ?? fail('INTERNAL')
  if (isNew) {
    ctx.log.info('device.registered', { device: uid, tenant: ctx.tenant, name })
    for (const device of await describeDevices(ctx, [row])) ctx.emit({ type: 'device.pending', device })
  }
  // Its rights are the key's: it may not replace another device.
  if (isNew) await enrol?.({ ...ctx, actor: { kind: 'device', uid, tenant: ctx.tenant, proven: isSigned } }, uid)
  // A replayed registration is not newer than the one before, and tells nothing.
  const isProven = isSigned && outcome !== 'unchanged'
  const { agent } = body
  const hasTold = isProven && agent && verifyAgentFacts(body.public_key, agent, proof, agent.signature)
  const told = hasTold ? await deps.reportAgent(ctx, uid, agent) : {}
  return {
    uid,
    token: await deps.tokens.device({ uid, tenant: ctx.tenant, proven: isProven }),
    name: row.name,
    namespace: row.namespace,
    statement_key: deps.statementKey,
    ...told,
  }
}

/** Signature of a registration, if its time is close to now. */
function recentProof({ clock }: TenantContext, { proof }: DeviceAuthBody): DeviceAuthBody['proof'] {
  return proof && isRecentProof(clock, proof) ? proof : undefined
}

/** Whether the time that a signature states is close to now. */
export function isRecentProof(clock: Pick<TenantContext['clock'], 'now'>, { at }: { readonly at: number }): boolean {
  return Math.abs(at - clock.now()) <= PROOF_TOLERANCE_MS
}

/** Exactly one public key: members see it, so an agent's mistake must not publish a private key. */
const PUBLIC_PEM = /^-----BEGIN (RSA )?PUBLIC KEY-----[A-Za-z0-9+/=\r\n]+-----END \1?PUBLIC KEY-----\s*$/

const MIN_RSA_BITS = 2_048
/** Verification with a larger key costs whole milliseconds, and no agent generates one. */
const MAX_RSA_BITS = 8_192

/** @throws {BowlineError} INVALID_INPUT */
export function requireUsableKey(pem: string): void {
  if (!isUsableKey(pem)) {
    const rule = 'must be one PEM public key: Ed25519, ECDSA, or RSA with 2048 to 8192 bits'
    fail('INVALID_INPUT', { field: 'public_key', rule }, ['public_key'])
  }
}

function isUsableKey(pem: string): boolean {
  if (!PUBLIC_PEM.test(pem)) return false
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey(pem)
    const bits = details?.modulusLength ?? 0
    if (type === 'rsa') return bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS
    return type === 'ed25519' || type === 'ec'
  } catch {
    return false
  }
}
