// Logins by key on existing agents. The agent is offered the namespace's login key, and calls back to have its own words
// signed by it (`POST /api/auth/ssh`). They are signed only while a login of that account on that device waits.
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { loadHostKey } from '@bowline/ssh/keys/host-key'
import type { ClientSigner } from '@bowline/ssh/client-api'
import type { TenantContext } from '../context.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import { loginKeyOf } from './login-key.ts'
import { deleteKeyLogin, insertKeyLogin } from './store.ts'

/** Longer than the gateway waits for a device, in milliseconds; rows that a crash has left count no longer. */
const LIFETIME_MS = 60_000

/**
 * Begins a login by key.
 * @param user account on the device
 * @returns the key to sign in with, and what to call when the device has answered
 */
export async function beginKeyLogin(
  ctx: TenantContext,
  secret: SecretKey,
  device: DeviceUid,
  user: string,
): Promise<{ signer: ClientSigner; end(): void }> {
  const { privateKey } = await loginKeyOf(ctx, secret)
  const signer = loadHostKey(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const id = await insertKeyLogin(ctx.db, { tenant_id: ctx.tenant, device_uid: device, username: user }, LIFETIME_MS)
  return {
    signer,
    end() {
      deleteKeyLogin(ctx.db, id).catch((error: unknown) => ctx.log.error('session.error', { device, err: error }))
    },
  }
}
