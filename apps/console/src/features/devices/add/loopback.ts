// Whether an address means the machine itself, so that no other can open it.

/** @param host of a URL, without its port: `127.0.0.1`, `[::1]`, `localhost` (RFC 6761: also below it) */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(host)
}
