// Many bytes through a tunnel, checked by hash; they are never held as a whole, on either side.
import { createCipheriv, createHash } from 'node:crypto'
import { type IncomingMessage, type RequestListener, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Site } from './row.ts'

const CHUNK = Buffer.alloc(65_536)

/** Bytes that look random, the same ones each time. */
export function streamOf(bytes: number): Readable {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 1), Buffer.alloc(16))
  let left = bytes
  return new Readable({
    read() {
      const chunk = cipher.update(left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK)
      left -= chunk.length
      this.push(chunk)
      if (left === 0) this.push(null)
    },
  })
}

export async function hashOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(stream, hash)
  return hash.digest('hex')
}

/** The service: `GET /bytes?<count>` answers bytes, `PUT` the hash of its body. */
export const serveBytes: RequestListener = (incoming, answer) => {
  if (incoming.method === 'PUT') {
    void hashOf(incoming).then((hash) => answer.end(hash))
    return
  }
  const count = Number(incoming.url?.split('?')[1])
  answer.writeHead(200, { 'content-length': count })
  pipeline(streamOf(count), answer).catch(() => undefined)
}

/** Hash of what a site answers. */
export async function download(site: Site, bytes: number): Promise<string> {
  if (site.protocol === 'HTTP/2') {
    const session = site.session()
    const stream = session.request({ ':path': `/bytes?${bytes}`, ':authority': site.authority })
    return hashOf(stream).finally(() => session.destroy())
  }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = asked(site, 'GET', `/bytes?${bytes}`)
    outgoing.on('response', resolve).on('error', reject).end()
  })
  return hashOf(answer)
}

/** Hash that the service has made of what it was sent. */
export async function upload(site: Site, bytes: number): Promise<string> {
  if (site.protocol === 'HTTP/2') {
    const session = site.session()
    const stream = session.request({ ':method': 'PUT', ':path': '/', ':authority': site.authority })
    const text = textOf(stream)
    await pipeline(streamOf(bytes), stream)
    return text.finally(() => session.destroy())
  }
  const outgoing = asked(site, 'PUT', '/')
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    outgoing.on('response', resolve).on('error', reject),
  )
  await pipeline(streamOf(bytes), outgoing)
  return textOf(await answered)
}

function asked(site: Site, method: string, path: string) {
  return request({ method, path, headers: { host: site.authority }, createConnection: () => site.dial() })
}

async function textOf(stream: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}
