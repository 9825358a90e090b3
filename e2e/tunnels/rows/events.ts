// Answers that stay open: server-sent events, and requests that their client gives up.
import { type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'
import { until } from '../../support/wait.ts'
import type { Protocol, Row, ServiceName, Site } from '../row.ts'
import { arrived, cancelled, listeners } from '../services/node.ts'

/** Names of streams differ, so that a row finds its own. */
let count = 0

interface Opened {
  /** Settles when the head of the answer has come. */
  readonly answer: Promise<Readable>
  /** Gives the request up. */
  readonly leave: () => void
}

function open(site: Site, path: string, headers: Readonly<Record<string, string>> = {}): Opened {
  if (site.protocol === 'HTTP/2') {
    const session = site.session()
    const stream = session.request({ ':path': path, ':authority': site.authority, ...headers })
    const answer = new Promise<Readable>((resolve, reject) => {
      session.on('error', reject)
      stream.on('response', () => resolve(stream))
      stream.on('error', reject)
    })
    stream.on('close', () => session.close())
    // CANCEL (RFC 9113 section 7).
    return { answer, leave: () => stream.close(8) }
  }
  const outgoing = request({ path, headers: { host: site.authority, ...headers }, createConnection: () => site.dial() })
  const answer = new Promise<Readable>((resolve, reject) => {
    outgoing.on('response', (response: IncomingMessage) => resolve(response))
    outgoing.on('error', reject)
  })
  outgoing.end()
  return { answer, leave: () => void outgoing.destroy() }
}

async function events(site: Site): Promise<unknown> {
  const path = `/events?${(count += 1)}`
  const { answer, leave } = open(site, path, { 'last-event-id': '41' })
  const stream = await answer
  stream.on('error', () => undefined)
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  await until('the first event comes', () => text.includes('begun'))
  const source = listeners.get(path)
  // Each is sent when the one before it has been seen: nothing may be held back for more.
  for (let id = 42; id < 47; id += 1) {
    source?.write(`id: ${id}\ndata: event ${id}\n\n`)
    await until('the event comes by itself', () => text.includes(`event ${id}\n\n`))
  }
  const closed = new Promise((resolve) => source?.on('close', resolve))
  leave()
  await closed
  return text
}

async function givenUp(site: Site, path: string, hasAnswer: boolean): Promise<unknown> {
  const own = `${path}?${(count += 1)}`
  const { answer, leave } = open(site, own)
  if (hasAnswer) {
    const stream = await answer
    stream.on('error', () => undefined)
    await new Promise((resolve) => stream.once('data', resolve))
  } else {
    answer.catch(() => undefined)
    await until('the request reaches the service', () => arrived.has(own))
  }
  leave()
  await until('the service sees that the client has left', () => cancelled.has(own))
  return 'the service has seen it'
}

const FEATURES: Readonly<Record<string, (site: Site) => Promise<unknown>>> = {
  'server-sent events, each as it comes': events,
  'a client that gives up before the answer': (site) => givenUp(site, '/hang', false),
  'a client that gives up in the middle of the answer': (site) => givenUp(site, '/endless', true),
}

export const eventRows: readonly Row[] = (['Node HTTP/1.1', 'Node HTTP/2'] satisfies ServiceName[]).flatMap((service) =>
  (['HTTP/1.1', 'HTTP/2'] satisfies Protocol[]).flatMap((client) =>
    Object.entries(FEATURES).map(([feature, run]) => ({ service, client, feature, run })),
  ),
)
