// Host names of tunnels: the address, 32 hex digits that nobody can guess, or the stable name of a port of a device that
// has a public name. Both are one label below the domain of tunnels.

/** What a label stands for. */
export type TunnelLabel = { readonly address: string } | { readonly port: number; readonly publicName: string }

const ADDRESS = /^[0-9a-f]{32}$/
// Begins with a port: no name that a domain reserves, as `www`, and no punycode can be one.
const NAMED = /^([1-9]\d{0,4})-([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)$/

/** Label of a host name below the domain; undefined for any other name. */
export function labelOf(host: string, domain: string): string | undefined {
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
  const suffix = `.${domain.replace(/\.$/, '').toLowerCase()}`
  if (!name.endsWith(suffix)) return undefined
  const label = name.slice(0, -suffix.length)
  return readLabel(label) ? label : undefined
}

/** @returns undefined for a label that no tunnel can have */
export function readLabel(label: string): TunnelLabel | undefined {
  if (ADDRESS.test(label)) return { address: label }
  const [, port, publicName] = label.length <= 63 ? (NAMED.exec(label) ?? []) : []
  return port === undefined || publicName === undefined || Number(port) > 65_535
    ? undefined
    : { port: Number(port), publicName }
}

/**
 * Stable name of a tunnel: only ports of the device itself have one, so that it never comes to lead elsewhere.
 * @param publicName of its device; null without one
 */
export function tunnelName(
  publicName: string | null,
  { host, port }: { host: string; port: number },
): string | undefined {
  return publicName === null || host !== '127.0.0.1' ? undefined : `${port}-${publicName}`
}
