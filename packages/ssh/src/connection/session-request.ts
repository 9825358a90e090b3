// Parses the channel requests a client makes on a session (RFC 4254 section 6, RFC 4335, OpenSSH's PROTOCOL).
import type { SessionRequest, SshLimits } from '../api.ts'
import type { WireReader } from '../wire/reader.ts'

const NAME_BYTES = 256
const COOKIE_BYTES = 1_024
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function size(reader: WireReader) {
  const columns = reader.uint32('columns')
  const rows = reader.uint32('rows')
  const width = reader.uint32('width')
  return { columns, rows, width, height: reader.uint32('height') }
}

/** Undefined when it is too long or not UTF-8: such a request is refused, and the connection continues. */
function shortText(bytes: Uint8Array, maxBytes: number): string | undefined {
  if (bytes.length > maxBytes) return undefined
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

function env(reader: WireReader, limits: SshLimits): SessionRequest | undefined {
  const nameBytes = reader.string('environment name')
  const valueBytes = reader.string('environment value')
  const name = shortText(nameBytes, NAME_BYTES)
  const value = shortText(valueBytes, limits.envBytes - nameBytes.length)
  return name === undefined || value === undefined ? undefined : { type: 'env', name, value }
}

function pty(reader: WireReader, limits: SshLimits): SessionRequest | undefined {
  const term = shortText(reader.string('terminal type'), limits.termBytes)
  const dimensions = size(reader)
  const modes = reader.string('terminal modes')
  if (term === undefined || modes.length > limits.ptyModesBytes) return undefined
  return { type: 'pty-req', term, ...dimensions, modes: Uint8Array.from(modes) }
}

function exec(reader: WireReader, limits: SshLimits): SessionRequest | undefined {
  const command = reader.string('command')
  return command.length > limits.execBytes ? undefined : { type: 'exec', command: Uint8Array.from(command) }
}

/** A request with only a name in it. */
function named<Type extends 'subsystem' | 'signal'>(type: Type, reader: WireReader) {
  const name = shortText(reader.string('name'), NAME_BYTES)
  return name === undefined ? undefined : { type, name }
}

function x11(reader: WireReader): SessionRequest | undefined {
  const single = reader.boolean('single connection')
  const protocol = shortText(reader.string('X11 authentication protocol'), NAME_BYTES)
  const cookie = shortText(reader.string('X11 cookie'), COOKIE_BYTES)
  const screen = reader.uint32('X11 screen')
  return protocol === undefined || cookie === undefined
    ? undefined
    : { type: 'x11-req', single, protocol, cookie, screen }
}

/**
 * Reads the request-specific part; `reader` is positioned after want_reply.
 * @returns undefined when the request is unknown, exceeds a limit or cannot be granted
 * @throws {WireError} when it is malformed
 */
export function readSessionRequest(name: string, reader: WireReader, limits: SshLimits): SessionRequest | undefined {
  switch (name) {
    case 'pty-req':
      return pty(reader, limits)
    case 'window-change':
      return { type: name, ...size(reader) }
    case 'env':
      return env(reader, limits)
    case 'exec':
      return exec(reader, limits)
    case 'subsystem':
    case 'signal':
      return named(name, reader)
    case 'break':
      return { type: name, lengthMs: reader.uint32('break length') }
    case 'x11-req':
      return x11(reader)
    case 'shell':
    case 'auth-agent-req@openssh.com':
    case 'eow@openssh.com':
      return { type: name }
    default:
      return undefined
  }
}
