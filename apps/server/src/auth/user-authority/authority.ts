// Certificate authority of a namespace: lets people in by their registered keys on devices without an agent, whose SSH
// server trusts it by one line of its configuration (TrustedUserCAKeys). The person's key is verified by the gateway; the
// device sees a key that lives for one login, certified for the one account that is meant. SSH servers that know no
// certificates have a plain key of the namespace in the file of an account's keys instead.
import { createPrivateKey, generateKeyPair, hkdfSync } from 'node:crypto'
import { promisify } from 'node:util'
import { type HostKey, loadHostKey } from '@bowline/ssh/keys/host-key'
import { ED25519_CERTIFICATE, issueUserCertificate } from '@bowline/ssh/keys/issue-certificate'
import type { ClientSigner } from '@bowline/ssh/client-api'
import type { UserAuthority } from '@bowline/contract/schemas/fleet/user-authority'
import type { TenantContext } from '../../context.ts'
import type { SecretKey } from '../../platform/secrets/seal.ts'
import { trustLines } from './lines.ts'
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

/** PKCS #8 of an Ed25519 key up to its 32 bytes (RFC 8410 section 7). */
const PKCS8_START = Buffer.from('302e020100300506032b657004220420', 'hex')
/** Tells the plain key from every other key that might be derived. */
const PLAIN_KEY = 'bowline plain login key'

/**
 * What SSH servers trust, with the lines that make them; the keys are made when they are missing.
 * @param namespace name, for the comments
 */
export async function userAuthorityLines(
  ctx: TenantContext,
  secret: SecretKey,
  namespace: string,
): Promise<UserAuthority> {
  const pem = await userAuthority(ctx, secret)
  return trustLines({ authority: loadHostKey(pem).blob, plain: plainKeyOf(pem).blob }, namespace)
}

/** The key of the namespace for accounts of SSH servers that know no certificates. */
export async function plainKey(ctx: TenantContext, secret: SecretKey): Promise<ClientSigner> {
  return plainKeyOf(await userAuthority(ctx, secret))
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
  const authority = loadHostKey(await userAuthority(ctx, secret))
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

/** The namespace's key as PEM, created if missing. Concurrent creators all get the same one. */
async function userAuthority(ctx: TenantContext, secret: SecretKey): Promise<string> {
  const known = await findUserAuthority(ctx.db)
  if (known) return secret.open(sealName(ctx), known).toString()
  const { privateKey } = await makeKeyPair('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  await insertUserAuthority(ctx.db, {
    tenant_id: ctx.tenant,
    sealed: secret.seal(sealName(ctx), Buffer.from(pem)),
  })
  const made = await findUserAuthority(ctx.db)
  if (!made) throw new Error('the key that certifies logins has vanished')
  return secret.open(sealName(ctx), made).toString()
}

/** Derived, so that a key which certifies signs nothing else, and there is one secret to keep. @param pem of the authority */
function plainKeyOf(pem: string): HostKey {
  const own = createPrivateKey(pem).export({ format: 'jwk' })
  const seed = hkdfSync('sha256', Buffer.from(own.d ?? '', 'base64url'), '', PLAIN_KEY, 32)
  const der = Buffer.concat([PKCS8_START, Buffer.from(seed)])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return loadHostKey(key.export({ type: 'pkcs8', format: 'pem' }))
}

async function newKey(): Promise<HostKey> {
  const { privateKey } = await makeKeyPair('ed25519')
  return loadHostKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

/** Binds the key to the namespace: a row moved to another one does not open. */
function sealName(ctx: TenantContext): string {
  return `user-authority/${ctx.tenant}`
}
