// SSH_MSG_CHANNEL_OPEN of both sides (RFC 4254 sections 5.1, 6.1, 7.2; OpenSSH's PROTOCOL section 2.4) and its answers.
import type { ChannelOpen } from '../api.ts'
import type { ServerChannelOpen } from '../client-api.ts'
import * as n from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import type { RemoteEnd } from './channel-link.ts'

const HOST_BYTES = 1_024
/** Generous limit for the path of a UNIX socket. */
const PATH_BYTES = 4_096

/** @typeParam Open what this peer may open */
export interface OpenMessage<Open> {
  readonly remote: RemoteEnd
  /** Undefined: a type that is unknown, or not the peer's to open. */
  readonly request: Open | undefined
}

function readRequest(type: string, reader: WireReader): ChannelOpen | undefined {
  switch (type) {
    case 'session':
      return { type }
    case 'direct-tcpip': {
      const host = reader.text('host', HOST_BYTES)
      const port = reader.uint32('port')
      const originHost = reader.text('origin host', HOST_BYTES)
      return { type, host, port, originHost, originPort: reader.uint32('origin port') }
    }
    case 'direct-streamlocal@openssh.com':
      return { type, path: reader.text('socket path', PATH_BYTES) }
    default:
      return undefined
  }
}

function readServerRequest(type: string, reader: WireReader): ServerChannelOpen | undefined {
  switch (type) {
    case 'forwarded-tcpip': {
      const host = reader.text('host', HOST_BYTES)
      const port = reader.uint32('port')
      const originHost = reader.text('origin host', HOST_BYTES)
      return { type, host, port, originHost, originPort: reader.uint32('origin port') }
    }
    case 'forwarded-streamlocal@openssh.com':
      return { type, path: reader.text('socket path', PATH_BYTES) }
    case 'x11':
      return { type, originHost: reader.text('origin host', HOST_BYTES), originPort: reader.uint32('origin port') }
    case 'auth-agent@openssh.com':
      return { type }
    default:
      return undefined
  }
}

/** The fields of a channel's type that a client opens, in wire encoding. */
export function encodeOpenFields(open: ChannelOpen): Uint8Array {
  const writer = new WireWriter(64)
  if (open.type === 'direct-tcpip')
    writer.string(open.host).uint32(open.port).string(open.originHost).uint32(open.originPort)
  // OpenSSH's PROTOCOL section 2.4: the path, and two fields that are reserved.
  else if (open.type === 'direct-streamlocal@openssh.com') writer.string(open.path).string('').uint32(0)
  return writer.done()
}

/** @param payload starting with the message number */
export function readChannelOpen(payload: Uint8Array): OpenMessage<ChannelOpen> {
  return readOpen(payload, readRequest)
}

/** Channels that servers open (RFC 4254 sections 6.3.2 and 7.2; OpenSSH's PROTOCOL section 2.4). */
export function readServerChannelOpen(payload: Uint8Array): OpenMessage<ServerChannelOpen> {
  return readOpen(payload, readServerRequest)
}

function readOpen<Open>(
  payload: Uint8Array,
  request: (type: string, reader: WireReader) => Open | undefined,
): OpenMessage<Open> {
  const reader = new WireReader(payload, 1)
  const type = reader.text('channel type', 256)
  const remote = {
    id: reader.uint32('sender channel'),
    window: reader.uint32('initial window size'),
    packetBytes: reader.uint32('maximum packet size'),
  }
  return { remote, request: request(type, reader) }
}

export function openFailure(remoteId: number, code: number, message: string): Uint8Array {
  return new WireWriter()
    .byte(n.MSG_CHANNEL_OPEN_FAILURE)
    .uint32(remoteId)
    .uint32(code)
    .string(message)
    .string('')
    .done()
}

export function openConfirmation(remoteId: number, localId: number, windowBytes: number, packetBytes: number) {
  return new WireWriter()
    .byte(n.MSG_CHANNEL_OPEN_CONFIRMATION)
    .uint32(remoteId)
    .uint32(localId)
    .uint32(windowBytes)
    .uint32(packetBytes)
    .done()
}

export function openRequest(type: string, localId: number, windowBytes: number, packetBytes: number, data: Uint8Array) {
  return new WireWriter(64 + data.length)
    .byte(n.MSG_CHANNEL_OPEN)
    .string(type)
    .uint32(localId)
    .uint32(windowBytes)
    .uint32(packetBytes)
    .bytes(data)
    .done()
}
