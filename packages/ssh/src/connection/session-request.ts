// Channel requests a client makes on a session (RFC 4254 section 6, RFC 4335, OpenSSH's PROTOCOL) as typed values.
import type { SessionRequest, SshLimits } from '../api.ts'
import { limitFault } from '../fault.ts'
import { WireReader } from '../wire/reader.ts'

const TERM_BYTES = 256
const NAME_BYTES = 256
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function size(reader: WireReader) {
  const columns = reader.uint32('columns')
  const rows = reader.uint32('rows')
  const width = reader.uint32('width')
  return { columns, rows, width, height: reader.uint32('height') }
}

/** Text that may be refused without ending the connection: undefined when it is not UTF-8. */
function lenientText(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

function env(reader: WireReader, limits: SshLimits): SessionRequest | undefined {
  const name = reader.string('environment name')
  const value = reader.string('environment value')
  if (name.length + value.length > limits.envBytes) {
    throw limitFault('env-bytes', `An environment variable is longer than ${limits.envBytes} bytes.`)
  }
  const nameText = lenientText(name)
  const valueText = lenientText(value)
  if (nameText === undefined || valueText === undefined) return undefined
  return { type: 'env', name: nameText, value: valueText }
}

function pty(reader: WireReader, limits: SshLimits): SessionRequest {
  const term = reader.text('terminal type', TERM_BYTES)
  const dimensions = size(reader)
  const modes = reader.string('terminal modes')
  if (modes.length > limits.ptyModesBytes) {
    throw limitFault('pty-modes-bytes', `The terminal modes are longer than ${limits.ptyModesBytes} bytes.`)
  }
  return { type: 'pty-req', term, ...dimensions, modes: Uint8Array.from(modes) }
}

function exec(reader: WireReader, limits: SshLimits): SessionRequest {
  const command = reader.string('command')
  if (command.length > limits.execBytes) {
    throw limitFault('exec-bytes', `The command is longer than ${limits.execBytes} bytes.`)
  }
  return { type: 'exec', command: Uint8Array.from(command) }
}

function x11(reader: WireReader): SessionRequest {
  const single = reader.boolean('single connection')
  const protocol = reader.text('X11 authentication protocol', NAME_BYTES)
  const cookie = reader.text('X11 cookie', 1_024)
  return { type: 'x11-req', single, protocol, cookie, screen: reader.uint32('X11 screen') }
}

/**
 * Reads the request-specific part; `reader` stands behind want_reply.
 * @returns undefined when the request is unknown or cannot be granted
 * @throws {WireError} when it is malformed
 * @throws {Fault} when it passes a limit
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
      return { type: name, name: reader.text('subsystem name', NAME_BYTES) }
    case 'signal':
      return { type: name, name: reader.text('signal name', NAME_BYTES) }
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
