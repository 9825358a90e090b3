// The fingerprint of a device's key in the list, as `ssh-keygen -l` prints it, to compare and to copy.
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { KeyFingerprint, useKeyFingerprint } from '../key-fingerprint.tsx'
import { devicesMessages as texts } from '../messages.ts'
import cells from '../../../ui/list/cells.module.css'

/** `publicKey`: PEM. */
export function KeyCell({ publicKey }: { readonly publicKey: string }) {
  const fingerprint = useKeyFingerprint(publicKey)
  return (
    <span className={cells['whole']}>
      <KeyFingerprint publicKey={publicKey} />
      {fingerprint ? <CopyButton text={fingerprint} what={texts.fingerprint} /> : null}
    </span>
  )
}
