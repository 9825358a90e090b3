// A device key's fingerprint, to compare with the one the device shows.
import { useQuery } from '@tanstack/react-query'
import { keyFingerprint } from './fingerprint.ts'
import { devicesMessages as texts } from './messages.ts'

/** `publicKey`: PEM. */
export function KeyFingerprint({ publicKey }: { readonly publicKey: string }) {
  const fingerprint = useKeyFingerprint(publicKey)
  if (fingerprint === undefined) return null
  return <code>{fingerprint === '' ? texts.noFingerprint : fingerprint}</code>
}

/** `SHA256:…`, '' when it cannot be computed, undefined while computing. */
export function useKeyFingerprint(publicKey: string): string | undefined {
  const { data } = useQuery({
    queryKey: ['key-fingerprint', publicKey],
    queryFn: async () => (await keyFingerprint(publicKey)) ?? '',
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}
