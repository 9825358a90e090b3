// Lines for a device without an agent whose SSH server lets people in by their registered keys.
import type { UserAuthority } from '@bowline/contract/schemas/fleet/user-authority'
import { sha256FingerprintOf } from '../../platform/keys/key-data.ts'

const OPENSSH_FILE = '/etc/ssh/bowline_users.pub'
/** File of root's keys for Dropbear on OpenWrt; other accounts and systems have ~/.ssh/authorized_keys. */
const DROPBEAR_FILE = '/etc/dropbear/authorized_keys'
const SSHD_CONFIG = '/etc/ssh/sshd_config'

/** @param keys wire encodings of both public keys @param namespace its name, for the comment */
export function trustLines(
  keys: { readonly authority: Uint8Array; readonly plain: Uint8Array },
  namespace: string,
): UserAuthority {
  const openssh = keyLine(keys.authority, `bowline-${namespace}`)
  const dropbear = keyLine(keys.plain, `bowline-${namespace}`)
  const trust = `TrustedUserCAKeys ${OPENSSH_FILE}`
  return {
    openssh: {
      public_key: openssh,
      fingerprint: sha256FingerprintOf(keys.authority),
      file: OPENSSH_FILE,
      sshd_config: trust,
      commands: [`echo '${openssh}' > ${OPENSSH_FILE}`, `echo '${trust}' >> ${SSHD_CONFIG}`],
    },
    dropbear: {
      public_key: dropbear,
      fingerprint: sha256FingerprintOf(keys.plain),
      file: DROPBEAR_FILE,
      commands: [`echo '${dropbear}' >> ${DROPBEAR_FILE}`],
    },
  }
}

const keyLine = (blob: Uint8Array, comment: string): string =>
  `ssh-ed25519 ${Buffer.from(blob).toString('base64')} ${comment}`
