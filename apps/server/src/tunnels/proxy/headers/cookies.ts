// Cookies on their way through a tunnel: each tunnel has a host of its own, and no cookie reaches another one.

/** Names of this server's cookies, here and on the console's host. */
const OURS = /^(?:__Host-)?bowline(?:-|$)/

/** The Cookie header for the service: without this server's own. */
export function hidesFromDevice(header: string): string {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '' && !OURS.test(pair.split('=')[0]?.trim() ?? ''))
    .join('; ')
}

/**
 * A Set-Cookie header of the service, bound to its own host: a Domain attribute could cover other tunnels.
 * @returns undefined for a cookie with a name of this server
 */
export function ownCookie(header: string): string | undefined {
  const [pair = '', ...attributes] = header.split(';')
  if (OURS.test(pair.split('=')[0]?.trim() ?? '')) return undefined
  return [pair, ...attributes.filter((attribute) => !/^\s*domain\s*(?:=|$)/i.test(attribute))].join(';')
}

/** Value of a cookie; undefined if it is absent or sent twice. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  return values.length === 1 ? values[0] : undefined
}
