// The keys of the vault that the namespace accepts for a login. The server decides; its patterns are RE2, which browsers
// do not have, so that only plain ones are judged here and the others may match. Pure.
import type { PublicKey } from '@bowline/contract/schemas/public-key'

export interface Login {
  readonly username: string
  readonly device: { readonly name: string; readonly tags: readonly string[] }
}

type Fit = 'yes' | 'maybe' | 'no'

/** Patterns that match everything; '' is one of older clients. */
const ANY = ['', '.*', '^.*$']

/** Result of matching a pattern against a whole text. */
function patternFit(pattern: string, text: string): Fit {
  if (ANY.includes(pattern)) return 'yes'
  const plain = /^\^?((?:[\w@ -]|\\[.-])+)\$?$/.exec(pattern)?.[1]
  if (plain === undefined) return 'maybe'
  return plain.replaceAll('\\', '') === text ? 'yes' : 'no'
}

export function fitOf(key: Pick<PublicKey, 'username' | 'filter' | 'disabled'>, { username, device }: Login): Fit {
  if (key.disabled) return 'no'
  const { hostname, tags = [] } = key.filter
  const byDevice = (): Fit => {
    if (hostname !== undefined) return patternFit(hostname, device.name)
    return tags.some((tag) => device.tags.includes(tag)) ? 'yes' : 'no'
  }
  const fits = [patternFit(key.username, username), byDevice()]
  if (fits.includes('no')) return 'no'
  return fits.includes('maybe') ? 'maybe' : 'yes'
}

/**
 * The key for a login: the last one used on the device, else one that surely fits, else one that may.
 * @param own keys of the vault, in its order
 * @param registered keys of the namespace
 */
export function chooseKey<Own extends { readonly id: string; readonly fingerprint: string }>(
  own: readonly Own[],
  registered: readonly Pick<PublicKey, 'username' | 'filter' | 'disabled' | 'fingerprint_sha256'>[],
  login: Login,
  lastUsed: string | undefined,
): Own | undefined {
  const fits = own.map((key) => {
    const known = registered.find(({ fingerprint_sha256 }) => fingerprint_sha256 === key.fingerprint)
    return { key, fit: known ? fitOf(known, login) : 'no' }
  })
  const usable = fits.filter(({ fit }) => fit !== 'no')
  const best = usable.find(({ key }) => key.id === lastUsed) ?? usable.find(({ fit }) => fit === 'yes') ?? usable[0]
  return best?.key
}
