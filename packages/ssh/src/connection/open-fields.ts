// The type-specific fields of channels that a server opens towards its client (RFC 4254 sections 6.3.2 and 7.2;
// OpenSSH's PROTOCOL section 2.4), for `SshConnection.openChannel`.
import { WireWriter } from '../wire/writer.ts'

/** Origin of a forwarded connection. */
export interface Origin {
  /** IP literal. */
  readonly address: string
  readonly port: number
}

/**
 * `forwarded-tcpip`.
 * @param address as the client requested it: clients look their forwards up by it
 * @param port that is listened on
 */
export function forwardedTcpip(address: string, port: number, origin: Origin): Uint8Array {
  return new WireWriter().string(address).uint32(port).string(origin.address).uint32(origin.port).done()
}

/** `forwarded-streamlocal@openssh.com`; `path` as the client requested it. */
export function forwardedStreamlocal(path: string): Uint8Array {
  return new WireWriter().string(path).string('').done()
}

/** `x11`. */
export function forwardedX11(origin: Origin): Uint8Array {
  return new WireWriter().string(origin.address).uint32(origin.port).done()
}

/** `auth-agent@openssh.com` has none. */
export const NO_FIELDS = new Uint8Array()
