// Fingerprint of a registered key as `ssh-keygen -l` prints it. The API names keys by their MD5 fingerprint, shown next to
// it.
import type { PublicKey } from '@bowline/contract/schemas/public-key'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { publicKeysMessages as texts } from './messages.ts'

interface RegisteredFingerprintProps {
  readonly item: Pick<PublicKey, 'fingerprint' | 'fingerprint_sha256'>
  /** With buttons that copy both fingerprints. */
  readonly canCopy?: boolean
}

export function RegisteredFingerprint({ item, canCopy = false }: RegisteredFingerprintProps) {
  return (
    <>
      <code data-tip={texts.md5(item.fingerprint)}>{item.fingerprint_sha256}</code>
      {canCopy ? (
        <>
          <CopyButton text={item.fingerprint_sha256} what={texts.copyFingerprint} />
          <CopyButton text={item.fingerprint} what={texts.copyMd5} />
        </>
      ) : null}
    </>
  )
}
