// One request to an engine over a connection of its own: no keep-alive, no redirects, bounded headers, body and time.
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Clock } from '@bowline/base/clock'
import { EngineError, asEngineError } from './errors.ts'
import { type EngineTarget, connectTo } from './target.ts'

export interface EngineCall {
  readonly method: 'GET' | 'POST'
  /** Path and query; parts that come from elsewhere are encoded. */
  readonly path: string
  readonly body?: object
  /** Raises the stream to a raw one. */
  readonly upgrade?: true
}

/** For a connection, its TLS handshake and the headers of the answer, in milliseconds. */
export const HEADERS_MS = 10_000
/** For the body of an answer, in milliseconds. */
const BODY_MS = 20_000
/** Largest text of a failure that is looked at, in bytes. */
const FAILURE_BYTES = 16_384
const HEADER_BYTES = 16_384
/** What requests say where there is no address. */
const NOWHERE = { host: 'localhost', port: 80 }

/** @throws {EngineError} when the address may not be dialled */
export async function send(target: EngineTarget, { method, path, body, upgrade }: EngineCall): Promise<ClientRequest> {
  const socket = await connectTo(target)
  const { host, port } = 'host' in target ? target : NOWHERE
  const text = body === undefined ? undefined : JSON.stringify(body)
  const outgoing = request({
    method,
    path,
    host,
    port,
    // Without an agent: one that is named here, also `false`, would open a connection of its own, unjudged.
    createConnection: () => socket,
    maxHeaderSize: HEADER_BYTES,
    headers: {
      host: `${host}:${port}`,
      'accept-encoding': 'identity',
      ...(upgrade ? { connection: 'Upgrade', upgrade: 'tcp' } : { connection: 'close' }),
      ...(text === undefined
        ? method === 'POST'
          ? { 'content-length': '0' }
          : {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    },
  })
  outgoing.end(text)
  return outgoing
}

/**
 * Sends a call and waits for the headers of a success.
 * @throws {EngineError} also for any status but a success: redirects are not followed
 */
export async function begin(target: EngineTarget, clock: Clock, call: EngineCall): Promise<IncomingMessage> {
  const outgoing = await send(target, call)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const cancel = clock.after(HEADERS_MS, () => outgoing.destroy(new EngineError('the engine did not answer in time')))
    outgoing.once('response', (incoming) => {
      cancel()
      resolve(incoming)
    })
    outgoing.once('upgrade', (_, socket) => {
      socket.destroy()
      reject(new EngineError('the engine switched protocols without being asked'))
    })
    // An error may follow the answer; it is the body's then.
    outgoing.on('error', (error) => {
      cancel()
      reject(asEngineError(error))
    })
    outgoing.once('close', () => {
      cancel()
      reject(new EngineError('the engine closed the connection'))
    })
  })
  const { statusCode: status = 0 } = response
  if (status >= 200 && status < 300) return response
  throw await failureOf(response, clock)
}

/** The engine's failure with its own words, shortened. */
export async function failureOf(response: IncomingMessage, clock: Clock): Promise<EngineError> {
  const { statusCode: status = 0 } = response
  if (status >= 300 && status < 400) {
    response.destroy()
    return new EngineError(`the engine redirects (status ${status}), which is not followed`, status)
  }
  const body = await readBody(response, clock, FAILURE_BYTES).catch(() => Buffer.alloc(0))
  return new EngineError(`the engine answered with status ${status}${said(body)}`, status)
}

/** The `message` of a failure, if it is one: on one line, printable, at most 200 characters. */
function said(body: Buffer): string {
  try {
    const { message } = JSON.parse(body.toString()) as { message?: unknown }
    if (typeof message !== 'string') return ''
    const line = message.replaceAll(/[^\P{C}]+/gu, ' ').trim()
    return line === '' ? '' : `: ${line.slice(0, 200)}`
  } catch {
    return ''
  }
}

/**
 * Reads the body of an answer.
 * @param maxBytes its largest size
 * @throws {EngineError} when it is larger, slower than {@link BODY_MS}, or cut off
 */
export function readBody(response: IncomingMessage, clock: Clock, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const fail = (error: EngineError): void => {
      reject(error)
      response.destroy()
    }
    const cancel = clock.after(BODY_MS, () => fail(new EngineError('the engine did not finish its answer in time')))
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else fail(new EngineError(`an answer of the engine is larger than ${maxBytes} bytes`))
    })
    response.on('error', (error) => fail(asEngineError(error)))
    response.once('end', () => resolve(Buffer.concat(chunks)))
    response.once('close', () => {
      cancel()
      // Without effect after `end`.
      reject(new EngineError('the engine cut its answer off'))
    })
  })
}

/** @throws {EngineError} */
export async function call(target: EngineTarget, clock: Clock, wanted: EngineCall, maxBytes: number): Promise<Buffer> {
  return readBody(await begin(target, clock, wanted), clock, maxBytes)
}
