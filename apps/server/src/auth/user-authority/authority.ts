// Certificate authority of a namespace: lets people in by their registered keys on devices without an agent, whose SSH
// server trusts it by one line of its configuration (TrustedUserCAKeys). The person's key is verified by the gateway; the
// device sees a key that lives for one login, certified for the one account that is meant.
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { type HostKey, loadHostKey } from '@bowline/ssh/keys/host-key'
import { ED25519_CERTIFICATE, issueUserCertificate } from '@bowline/ssh/keys/issue-certificate'
import type { ClientSigner } from '@bowline/ssh/client-api'
import type { TenantContext } from '../../context.ts'
import type { SecretKey } from '../../platform/secrets/seal.ts'
import { findUserAuthority, insertUserAuthority } from './store.ts'

const makeKeyPair = promisify(generateKeyPair)
/** Life of a certificate: its key is gone long before, but the clocks of devices are wrong by hours. */
const LIFE_SECONDS = 86_400
/** Permissions of every certificate: the gateway has decided already what a login may do. In alphabetical order. */
const EXTENSIONS = [
  'permit-X11-forwarding',
  'permit-agent-forwarding',
  'permit-port-forwarding',
  'permit-pty',
  'permit-user-rc',
]

/**
 * The authority's public key as a line of the file that TrustedUserCAKeys names; the key is made when it is missing.
 * @param namespace name, for the comment
 */
export async function userAuthorityLine(ctx: TenantContext, secret: SecretKey, namespace: string): Promise<string> {
  const { blob } = await userAuthority(ctx, secret)
  return `ssh-ed25519 ${Buffer.from(blob).toString('base64')} bowline-${namespace}`
}

/**
 * A key for one login, certified for one account.
 * @param user account on the device
 * @param device its name, for the log of its SSH server
 */
export async function certifiedKey(
  ctx: TenantContext,
  secret: SecretKey,
  user: string,
  device: string,
): Promise<ClientSigner> {
  const authority = await userAuthority(ctx, secret)
  const key = await newKey()
  const blob = issueUserCertificate(
    key.blob,
    {
      keyId: `bowline: ${user} on ${device}`,
      principals: [user],
      // A device without a battery begins in 1970.
      validAfter: 0,
      validBefore: Math.floor(ctx.clock.now() / 1_000) + LIFE_SECONDS,
      extensions: EXTENSIONS,
    },
    authority,
  )
  return {
    algorithms: [ED25519_CERTIFICATE],
    blob,
    sign: (_, message) => key.sign('ssh-ed25519', message),
  }
}

/** Returns the namespace's key, creating it if missing. Concurrent creators all get the same one. */
async function userAuthority(ctx: TenantContext, secret: SecretKey): Promise<HostKey> {
  const known = await findUserAuthority(ctx.db)
  if (known) return loadHostKey(secret.open(sealName(ctx), known).toString())
  const { privateKey } = await makeKeyPair('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  await insertUserAuthority(ctx.db, {
    tenant_id: ctx.tenant,
    sealed: secret.seal(sealName(ctx), Buffer.from(pem)),
  })
  const made = await findUserAuthority(ctx.db)
  if (!made) throw new Error('the key that certifies logins has vanished')
  return loadHostKey(secret.open(sealName(ctx), made).toString())
}

async function newKey(): Promise<HostKey> {
  const { privateKey } = await makeKeyPair('ed25519')
  return loadHostKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

/** Binds the key to the namespace: a row moved to another one does not open. */
function sealName(ctx: TenantContext): string {
  return `user-authority/${ctx.tenant}`
}
