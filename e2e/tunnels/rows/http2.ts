// What only clients of HTTP/2 do: many streams on one connection, each with its own flow control and its own end.
import { createHash } from 'node:crypto'
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2'
import { until } from '../../support/wait.ts'
import type { Row, Site } from '../row.ts'
import { arrived, cancelled } from '../services/node.ts'

type Feature = (site: Site, session: ClientHttp2Session) => Promise<unknown>

let count = 0

function start(site: Site, session: ClientHttp2Session, path: string, body?: string): ClientHttp2Stream {
  const method = body === undefined ? 'GET' : 'POST'
  const stream = session.request({ ':method': method, ':path': path, ':authority': site.authority })
  stream.on('error', () => undefined)
  return body === undefined ? stream : stream.end(body)
}

function whole(stream: ClientHttp2Stream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    stream.on('error', reject).on('end', () => resolve(text))
  })
}

function statusOf(stream: ClientHttp2Stream): Promise<number | string> {
  return new Promise((resolve) => {
    stream.on('response', (headers) => resolve(Number(headers[':status'])))
    stream.on('close', () => resolve(`reset by ${stream.rstCode}`))
    stream.resume()
  })
}

const FEATURES: Readonly<Record<string, Feature>> = {
  '100 streams at once': async (site, session) => {
    const texts = Array.from({ length: 100 }, (_, at) => `stream ${at} `.repeat(100))
    const answers = await Promise.all(texts.map((text) => whole(start(site, session, '/echo', text))))
    if (answers.some((answer, at) => answer !== texts[at])) throw new Error('a stream has got the bytes of another one')
    return createHash('sha256').update(answers.join('')).digest('hex')
  },
  'a stream that nobody reads, beside others': async (site, session) => {
    const path = `/endless?${(count += 1)}`
    const stalled = start(site, session, path)
    await new Promise((resolve) => stalled.on('response', resolve))
    const answers: string[] = []
    for (let at = 0; at < 20; at += 1) answers.push(await whole(start(site, session, '/echo', `beside ${at}`)))
    stalled.close(constants.NGHTTP2_CANCEL)
    await until('the service sees the end of the stream', () => cancelled.has(path))
    return answers
  },
  'RST_STREAM ends the request at the service, and no other stream': async (site, session) => {
    const path = `/hang?${(count += 1)}`
    const hanging = start(site, session, path)
    await until('the request reaches the service', () => arrived.has(path))
    hanging.close(constants.NGHTTP2_CANCEL)
    await until('the service sees the end of the stream', () => cancelled.has(path))
    return whole(start(site, session, '/echo', 'after'))
  },
  PING: async (site, session) => {
    await whole(start(site, session, '/echo', 'connected'))
    return new Promise((resolve, reject) => {
      session.ping(Buffer.from('12345678'), (error, _ms, payload) =>
        error ? reject(error) : resolve(payload.toString()),
      )
    })
  },
  'CONNECT is refused': async (site, session) => {
    const stream = session.request({ ':method': 'CONNECT', ':authority': site.authority })
    stream.on('error', () => undefined)
    return statusOf(stream)
  },
  'WebSockets over HTTP/2 (RFC 8441) are not offered': async (site, session) => {
    await statusOf(start(site, session, '/mirror'))
    return session.remoteSettings.enableConnectProtocol ?? false
  },
}

export const http2Rows: readonly Row[] = Object.entries(FEATURES).map(([feature, run]) => ({
  service: 'Node HTTP/2',
  client: 'HTTP/2',
  feature,
  async run(site) {
    const session = site.session()
    const failed = new Promise<never>((_, reject) => session.on('error', reject))
    failed.catch(() => undefined)
    try {
      return await Promise.race([run(site, session), failed])
    } finally {
      session.destroy()
    }
  },
}))
