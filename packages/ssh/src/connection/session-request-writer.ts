// Encodes the channel requests of a client (RFC 4254 section 6, RFC 4335, OpenSSH's PROTOCOL), and reads a server's.
import type { SessionRequest } from '../api.ts'
import type { ProgramExit } from '../client-api.ts'
import * as n from '../wire/numbers.ts'
import type { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'

/** Requests that have no answer (RFC 4254 sections 6.7 and 6.9; OpenSSH's PROTOCOL section 2.1). */
const UNANSWERED: ReadonlySet<SessionRequest['type']> = new Set(['window-change', 'signal', 'eow@openssh.com'])

/** Whether the server answers a request of this type. */
export const hasAnswer = (type: SessionRequest['type']): boolean => !UNANSWERED.has(type)

/** @param channel the server's number of the channel */
export function encodeSessionRequest(channel: number, request: SessionRequest): Uint8Array {
  const writer = new WireWriter(64).byte(n.MSG_CHANNEL_REQUEST).uint32(channel).string(request.type)
  writer.boolean(hasAnswer(request.type))
  switch (request.type) {
    case 'pty-req':
      writer.string(request.term).uint32(request.columns).uint32(request.rows)
      return writer.uint32(request.width).uint32(request.height).string(request.modes).done()
    case 'window-change':
      return writer.uint32(request.columns).uint32(request.rows).uint32(request.width).uint32(request.height).done()
    case 'env':
      return writer.string(request.name).string(request.value).done()
    case 'exec':
      return writer.string(request.command).done()
    case 'subsystem':
    case 'signal':
      return writer.string(request.name).done()
    case 'break':
      return writer.uint32(request.lengthMs).done()
    case 'x11-req':
      writer.boolean(request.single).string(request.protocol).string(request.cookie)
      return writer.uint32(request.screen).done()
    default:
      return writer.done()
  }
}

/**
 * Reads the request-specific part of a server's request; `reader` is positioned after want_reply.
 * @returns undefined when it does not tell of an exit
 * @throws {WireError} when it is malformed
 */
export function readExit(name: string, reader: WireReader): ProgramExit | undefined {
  if (name === 'exit-status') return { status: reader.uint32('exit status') }
  if (name !== 'exit-signal') return undefined
  const signal = reader.text('signal name', 256)
  const coreDumped = reader.boolean('core dumped')
  return { signal, coreDumped, message: reader.text('error message', 4_096) }
}
