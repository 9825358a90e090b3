// Fingerprint of a registered key as `ssh-keygen -l` prints it. The API identifies keys by their MD5 fingerprint, shown
// next to it.
import { useQuery } from '@tanstack/react-query'
import type { PublicKey } from '@bowline/contract/schemas/public-key'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { Tooltip } from '../../ui/kit.ts'
import { lineFingerprint } from './key-data.ts'
import { publicKeysMessages as texts } from './messages.ts'

type Key = Pick<PublicKey, 'data' | 'fingerprint'>

/** `canCopyMd5`: adds a copy button for the MD5 fingerprint. */
export function RegisteredFingerprint({
  item,
  canCopyMd5 = false,
}: {
  readonly item: Key
  readonly canCopyMd5?: boolean
}) {
  const { data: fingerprint } = useQuery({
    queryKey: ['key-fingerprint', item.data],
    queryFn: async () => (await lineFingerprint(item.data)) ?? '',
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (fingerprint === undefined) return null
  const md5 = texts.md5(item.fingerprint)
  return (
    <>
      <Tooltip label={md5}>
        <code>{fingerprint === '' ? `MD5:${item.fingerprint}` : fingerprint}</code>
      </Tooltip>
      {canCopyMd5 ? <CopyButton text={item.fingerprint} what={texts.copyMd5} /> : null}
    </>
  )
}
