// SSH_MSG_CHANNEL_OPEN from a client (RFC 4254 sections 5.1, 6.1, 7.2; OpenSSH's PROTOCOL section 2.4) and our answers.
import type { ChannelOpen } from '../api.ts'
import * as n from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import type { RemoteEnd } from './channel.ts'

const HOST_BYTES = 1_024
/** Generous limit for the path of a UNIX socket. */
const PATH_BYTES = 4_096

export interface OpenMessage {
  readonly remote: RemoteEnd
  /** Undefined: a type unknown or not open to clients. */
  readonly request: ChannelOpen | undefined
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

/** @param payload starting with the message number */
export function readChannelOpen(payload: Uint8Array): OpenMessage {
  const reader = new WireReader(payload, 1)
  const type = reader.text('channel type', 256)
  const remote = {
    id: reader.uint32('sender channel'),
    window: reader.uint32('initial window size'),
    packetBytes: reader.uint32('maximum packet size'),
  }
  return { remote, request: readRequest(type, reader) }
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
