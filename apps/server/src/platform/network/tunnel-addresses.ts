// Recognises the addresses of tunnels: an origin that belongs to whatever the device behind it serves, and must never
// show a page or answer a call of this server.

/**
 * @param host as in a Host header, with or without a port
 * @param domain the domain of tunnels, '' or undefined without one
 * @returns whether the host is that domain or below it
 */
export function isTunnelHost(host: string, domain: string | undefined): boolean {
  if (!domain) return false
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
  const wanted = domain.replace(/\.$/, '').toLowerCase()
  return name === wanted || name.endsWith(`.${wanted}`)
}
