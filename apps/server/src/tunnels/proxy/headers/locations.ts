// Redirects of a service to itself, which it names as it is reached on the device or by its own port: the visitor gets the
// address of the tunnel instead.

/** Address that the visitor has asked for. */
interface Asked {
  /** With its port. */
  readonly host: string
  readonly secure: boolean
}

/** Service of a tunnel. */
export interface Target {
  /** IP address as seen from the device. */
  readonly host: string
  readonly port: number
  /** Host that requests for the service name; '' for the tunnel's own. */
  readonly hostHeader: string
}

/**
 * A Location header for the visitor.
 * @param location as the service has sent it; an address without a host and one elsewhere stay as they are
 */
export function visitorLocation(location: string, origin: Asked, target: Target): string {
  const [, scheme = '', host = '', rest = ''] = /^(https?):\/\/([^/?#]*)(.*)$/is.exec(location) ?? []
  if (host === '' || !isOwn(scheme, host.toLowerCase(), origin, target)) return location
  return `${origin.secure ? 'https' : 'http'}://${origin.host}${rest}`
}

function isOwn(scheme: string, host: string, origin: Asked, { host: address, port, hostHeader }: Target): boolean {
  const defaultPort = scheme.toLowerCase() === 'https' ? 443 : 80
  const nameOf = (text: string): string => text.toLowerCase().replace(/:\d+$/, '')
  const named = Number(/:(\d+)$/.exec(host)?.[1] ?? defaultPort)
  const literal = address.includes(':') ? `[${address}]` : address
  // Its own port, or the one that the host in the request has had.
  if (nameOf(host) === nameOf(origin.host))
    return host === origin.host.toLowerCase() || named === port || named === defaultPort
  if (hostHeader !== '' && nameOf(host) === nameOf(hostHeader))
    return host === hostHeader.toLowerCase() || named === port
  return nameOf(host) === literal && named === port
}
