// A client of HTTP/1.1 and HTTP/2 that gives both the same form, with everything that a client can see of an answer.
import { createHash } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { constants } from 'node:http2'
import type { Site } from './row.ts'

export interface Asked {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Pieces without a length before them; otherwise the whole with its length. */
  readonly body?: string | Buffer | readonly (string | Buffer)[]
  readonly trailers?: Readonly<Record<string, string>>
  /** Waits for `100 Continue` before the body. */
  readonly expectsContinue?: boolean
}

export interface Answer {
  readonly status: number
  /** Names in lower case; repeated ones in order. */
  readonly headers: readonly (readonly [string, string])[]
  readonly trailers: readonly (readonly [string, string])[]
  /** Statuses before the last one. */
  readonly informational: readonly number[]
  readonly body: Buffer
}

/** Headers that are about a connection, or differ with the time. */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date'])

/** @throws when the answer breaks off */
export function ask(site: Site, asked: Asked = {}): Promise<Answer> {
  return site.protocol === 'HTTP/2' ? askHttp2(site, asked) : askHttp1(site, asked)
}

/** An answer as an outcome: long bodies by hash. */
export function outcomeOf({ status, headers, trailers, informational, body }: Answer): object {
  const content = body.length > 2_000 ? { bytes: body.length, sha256: sha256(body) } : body.toString('latin1')
  return { status, headers: headers.toSorted(byName), trailers, informational, body: content }
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function askHttp1(site: Site, asked: Asked): Promise<Answer> {
  const { method = 'GET', path = '/', headers = {}, body, trailers, expectsContinue = false } = asked
  return new Promise((resolve, reject) => {
    const whole = typeof body === 'string' || Buffer.isBuffer(body)
    const outgoing = request({
      method,
      path,
      headers: {
        host: site.authority,
        ...(whole ? { 'content-length': Buffer.byteLength(body) } : {}),
        ...(expectsContinue ? { expect: '100-continue' } : {}),
        ...(trailers ? { trailer: Object.keys(trailers).join(', ') } : {}),
        ...headers,
      },
      createConnection: () => site.dial(),
    })
    const informational: number[] = []
    let answered = false
    const send = (): void => {
      for (const piece of pieces(body)) outgoing.write(piece)
      if (trailers) outgoing.addTrailers(trailers)
      outgoing.end()
    }
    outgoing.on('information', ({ statusCode }) => informational.push(statusCode))
    outgoing.on('continue', send)
    // A service may answer before it has read everything, and close behind that.
    outgoing.on('error', (error) => (answered ? undefined : reject(error)))
    outgoing.on('response', (answer) => {
      answered = true
      collect(answer).then((content) => {
        outgoing.destroy()
        resolve({
          status: answer.statusCode ?? 0,
          headers: pairs(answer.rawHeaders),
          trailers: pairs(answer.rawTrailers),
          informational,
          body: content,
        })
      }, reject)
    })
    if (!expectsContinue) send()
    else outgoing.flushHeaders()
  })
}

function askHttp2(site: Site, asked: Asked): Promise<Answer> {
  const { method = 'GET', path = '/', headers = {}, body, trailers, expectsContinue = false } = asked
  const session = site.session()
  return new Promise<Answer>((resolve, reject) => {
    session.on('error', reject)
    const whole = typeof body === 'string' || Buffer.isBuffer(body)
    const stream = session.request(
      {
        [constants.HTTP2_HEADER_METHOD]: method,
        [constants.HTTP2_HEADER_PATH]: path,
        [constants.HTTP2_HEADER_AUTHORITY]: site.authority,
        [constants.HTTP2_HEADER_SCHEME]: site.scheme,
        ...(whole ? { 'content-length': Buffer.byteLength(body) } : {}),
        ...(expectsContinue ? { expect: '100-continue' } : {}),
        ...(trailers ? { trailer: Object.keys(trailers).join(', ') } : {}),
        ...headers,
      },
      { endStream: body === undefined && trailers === undefined, waitForTrailers: trailers !== undefined },
    )
    const informational: number[] = []
    let head: { status: number; raw: readonly string[] } | undefined
    let foot: readonly string[] = []
    const chunks: Buffer[] = []
    const send = (): void => {
      for (const piece of pieces(body)) stream.write(piece)
      stream.end()
    }
    stream.on('headers', (fields) => informational.push(Number(fields[':status'])))
    stream.on('continue', send)
    stream.on('wantTrailers', () => stream.sendTrailers(trailers ?? {}))
    stream.on('response', (fields, _, raw?: readonly string[]) => {
      head = { status: Number(fields[':status']), raw: raw ?? [] }
    })
    stream.on('trailers', (_fields, _, raw?: readonly string[]) => (foot = raw ?? []))
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    // The rest of the body is not wanted any more.
    stream.on('end', () => stream.close())
    stream.on('error', reject)
    stream.on('close', () => {
      if (!head || (stream.rstCode !== 0 && !stream.readableEnded))
        return reject(new Error('the stream has been reset'))
      const { status, raw } = head
      resolve({ status, headers: pairs(raw), trailers: pairs(foot), informational, body: Buffer.concat(chunks) })
    })
    if (!expectsContinue && (body !== undefined || trailers !== undefined)) send()
  }).finally(() => session.destroy())
}

function pieces(body: Asked['body']): readonly (string | Buffer)[] {
  if (body === undefined) return []
  return typeof body === 'string' || Buffer.isBuffer(body) ? [body] : body
}

/** @throws when it breaks off */
export function collect(answer: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('error', reject)
    answer.on('end', () => resolve(Buffer.concat(chunks)))
  })
}

function pairs(raw: readonly string[]): [string, string][] {
  const all: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase()
    if (!name.startsWith(':') && !OF_THE_CONNECTION.has(name)) all.push([name, raw[at + 1] ?? ''])
  }
  return all
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : one > other ? 1 : 0
}
