// WebSockets and other upgrades through a tunnel: after the service has agreed, bytes are copied both ways.
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { STATUS_CODES } from 'node:http'
import { type Duplex, Transform } from 'node:stream'
import { failureOf } from './exchange.ts'
import { type Origin, requestHeaders, responseHeaders } from './headers/headers.ts'
import { startOutgoing } from './http1.ts'
import type { Target } from './headers/locations.ts'
import { type FailureCode, type Page, failurePage } from './pages.ts'

const CRLF = Buffer.from('\r\n')

export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  /** First bytes behind the request. */
  readonly head: Buffer
  readonly origin: Origin
  readonly target: Target
  readonly sent: (bytes: number) => void
  readonly received: (bytes: number) => void
  readonly answered: (status: number) => void
}

/** Asks the service for the upgrade and joins both sides. @returns ends it */
export function carryUpgrade(upgrade: Upgrade, connect: () => Duplex): { readonly abort: () => void } {
  const { request, socket, origin, target } = upgrade
  const headers = requestHeaders(request, origin, target.hostHeader)
  const outgoing = startOutgoing(connect, request, {
    ...headers,
    connection: 'Upgrade',
    upgrade: String(request.headers.upgrade),
  })
  const refuse = (code: FailureCode): void => answerSocket(socket, failurePage(code, request.headers.accept))
  let hasAnswer = false
  outgoing.on('error', (error) => {
    // Once an answer has begun nothing else may follow it.
    if (hasAnswer) socket.destroy()
    else refuse(failureOf(error))
  })
  outgoing.on('response', (answer) => {
    const status = answer.statusCode ?? 0
    if (status < 200) {
      answer.resume()
      return refuse('LOST')
    }
    hasAnswer = true
    upgrade.answered(status)
    const fields = responseHeaders(answer.rawHeaders, answer.headers.connection, upgrade)
    const isFramed = fields['content-length'] !== undefined || status === 204 || status === 304
    writeHead(socket, status, {
      ...fields,
      connection: 'close',
      ...(isFramed ? {} : { 'transfer-encoding': 'chunked' }),
    })
    answer.on('error', () => socket.destroy())
    // Registered before `pipe`, which ends the socket at the same event: half an answer must not look like a whole one.
    answer.on('end', () => {
      if (!answer.complete) socket.destroy()
    })
    answer.on('close', () => {
      if (!answer.complete) socket.destroy()
    })
    if (isFramed) answer.pipe(socket)
    else answer.pipe(chunked()).pipe(socket)
  })
  outgoing.on('upgrade', (answer, service, first) => {
    upgrade.answered(101)
    const fields = responseHeaders(answer.rawHeaders, undefined, upgrade)
    writeHead(socket, 101, { ...fields, connection: 'Upgrade', upgrade: answer.headers.upgrade ?? '' })
    join(upgrade, service, first)
  })
  outgoing.end()
  return {
    abort() {
      outgoing.destroy()
      socket.destroy()
    },
  }
}

/** The chunked coding (RFC 9112 section 7.1). */
function chunked(): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      done(null, Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, CRLF]))
    },
    flush(done) {
      done(null, '0\r\n\r\n')
    },
  })
}

function join({ socket, head, sent, received }: Upgrade, service: Duplex, first: Buffer): void {
  if (first.length > 0) service.unshift(first)
  if (head.length > 0) socket.unshift(head)
  socket.on('data', (chunk: Buffer) => sent(chunk.length))
  service.on('data', (chunk: Buffer) => received(chunk.length))
  service.on('error', () => socket.destroy())
  socket.on('close', () => service.destroy())
  service.on('close', () => socket.destroy())
  socket.pipe(service)
  service.pipe(socket)
}

/** Writes an answer of this server to an upgraded socket and closes it. */
export function answerSocket(socket: Duplex, page: Page): void {
  if (socket.destroyed || socket.writableEnded) return
  writeHead(socket, page.status, { ...page.headers, connection: 'close' })
  socket.end(page.body, () => socket.destroy())
}

function writeHead(socket: Duplex, status: number, headers: OutgoingHttpHeaders): void {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${String(one)}\r\n`),
  )
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`, 'latin1')
}
