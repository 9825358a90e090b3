// Recognises tunnel host names: such an origin belongs to the device's service and must never serve a page or an API
// answer of this server.

/**
 * @param host as in a Host header, with or without a port
 * @param domain the domain of tunnels, '' or undefined without one
 * @returns true if the host is that domain or below it
 */
export function isTunnelHost(host: string, domain: string | undefined): boolean {
  if (!domain) return false
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
  const wanted = domain.replace(/\.$/, '').toLowerCase()
  return name === wanted || name.endsWith(`.${wanted}`)
}
