// multistream-select 1.0.0: both sides name it, then one asks for a protocol by name, and the other repeats the name or
// answers `na`. A message is its length as a varint, a text, and a line feed that the length counts.
import type { Duplex } from 'node:stream'
import { type Head, readHead } from './read-head.ts'

const NAME = '/multistream/1.0.0'
const REFUSED = 'na'
const MAX_MESSAGE_BYTES = 1_024
const LF = 0x0a

/** @param text at most 1,023 bytes */
export function encodeMessage(text: string): Buffer {
  const body = Buffer.from(`${text}\n`)
  if (body.length > MAX_MESSAGE_BYTES) throw new RangeError('a message has at most 1,024 bytes')
  const { length } = body
  const prefix = length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7]
  return Buffer.concat([Uint8Array.from(prefix), body])
}

/**
 * @returns the text of the first message; undefined while it is incomplete
 * @throws {Error} when it is malformed or longer than 1,024 bytes
 */
export function parseMessage(bytes: Buffer): Head<string> | undefined {
  const [first, second] = bytes
  if (first === undefined || (first >= 0x80 && second === undefined)) return undefined
  const prefix = first < 0x80 ? 1 : 2
  const length = first < 0x80 ? first : (first & 0x7f) | ((second ?? 0) << 7)
  if (length === 0 || length > MAX_MESSAGE_BYTES) throw new Error(`a message of ${length} bytes`)
  const end = prefix + length
  if (bytes.length < end) return undefined
  if (bytes[end - 1] !== LF) throw new Error('a message without a line feed')
  return { value: bytes.subarray(prefix, end - 1).toString(), bytes: end }
}

const nextMessage = (stream: Duplex): Promise<string> => readHead(stream, parseMessage, MAX_MESSAGE_BYTES + 2)

/**
 * Asks for a protocol. What follows on the stream is that protocol's.
 * @throws {Error} when the peer does not have it, or answers anything else
 */
export async function selectProtocol(stream: Duplex, protocol: string): Promise<void> {
  stream.write(Buffer.concat([encodeMessage(NAME), encodeMessage(protocol)]))
  const name = await nextMessage(stream)
  if (name !== NAME) throw new Error('the peer does not speak multistream-select 1.0.0')
  const answer = await nextMessage(stream)
  if (answer === protocol) return
  throw new Error(answer === REFUSED ? `the peer does not have ${protocol}` : 'the peer answers another protocol')
}

/**
 * Answers a peer that asks for a protocol.
 * @returns the one that both have
 * @throws {Error} when the peer asks for too many, or breaks a rule
 */
export async function answerProtocol(stream: Duplex, protocols: readonly string[]): Promise<string> {
  if ((await nextMessage(stream)) !== NAME) throw new Error('the peer does not speak multistream-select 1.0.0')
  stream.write(encodeMessage(NAME))
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const asked = await nextMessage(stream)
    const isKnown = protocols.includes(asked)
    stream.write(encodeMessage(isKnown ? asked : REFUSED))
    if (isKnown) return asked
  }
  throw new Error('the peer asks for too many protocols')
}
