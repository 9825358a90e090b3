// Compresses API answers for clients that accept it: device lists shrink to a tenth.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Below this size the headers outweigh the savings. */
const MIN_BYTES = 1_024
/** Fast levels: a client is waiting. */
const QUALITY = { br: 4, gzip: 6 }

const brotliOf = promisify(brotliCompress)
const gzipOf = promisify<Buffer, { level: number }, Buffer>(gzip)

type Encoding = keyof typeof QUALITY

/**
 * Compresses JSON answers to GET. The length of a compressed answer leaks content to attackers who see the wire and can
 * inject text of theirs (BREACH): answers with tokens, keys or codes are never compressed. Neither are streams: their
 * bytes must not be buffered.
 */
export function compressAnswers(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !isCompressible(request, reply)) return payload
    const text = Buffer.from(payload)
    if (text.length < MIN_BYTES) return payload
    varyByEncoding(reply)
    const encoding = bestEncoding(request.headers['accept-encoding'] ?? '')
    if (!encoding) return payload
    const packed = await pack(text, encoding)
    void reply.header('content-encoding', encoding)
    void reply.removeHeader('content-length')
    return packed
  })
}

function pack(text: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return gzipOf(text, { level: QUALITY.gzip })
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
  return brotliOf(text, { params: { [BROTLI_PARAM_QUALITY]: QUALITY.br, [BROTLI_PARAM_SIZE_HINT]: text.length } })
}

/** @returns compresses the text, once for each encoding */
export function packedOnce(text: Buffer): (encoding: Encoding) => Promise<Buffer> {
  const packed = new Map<Encoding, Promise<Buffer>>()
  return (encoding) => {
    const made = packed.get(encoding) ?? pack(text, encoding)
    packed.set(encoding, made)
    return made
  }
}

/**
 * A large JSON document that never changes: it is not compressed for each of the many requests that anybody may send.
 * @param build called when it is first asked for
 * @returns sends it
 */
export function constantDocument(
  build: () => string,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  let built: { readonly text: Buffer; readonly packed: (encoding: Encoding) => Promise<Buffer> } | undefined
  const document = () => {
    if (built) return built
    const text = Buffer.from(build())
    return (built = { text, packed: packedOnce(text) })
  }
  return async (request, reply) => {
    const { text, packed } = document()
    varyByEncoding(reply)
    void reply.type('application/json; charset=utf-8')
    const encoding = bestEncoding(request.headers['accept-encoding'] ?? '')
    if (!encoding) return reply.send(text)
    return reply.header('content-encoding', encoding).send(await packed(encoding))
  }
}

/** Paths whose answers hold the caller's secrets, or terminal output beside text of the query. */
const SECRETS = /^\/api\/(auth|token|login|user|users|setup|register|recordings)(\/|\?|$)|\/api-key|\/invites/

function isCompressible(request: FastifyRequest, reply: FastifyReply): boolean {
  return (
    request.method === 'GET' &&
    /^application\/json\b/.test(String(reply.getHeader('content-type') ?? '')) &&
    !reply.hasHeader('content-encoding') &&
    !SECRETS.test(request.url)
  )
}

function varyByEncoding(reply: FastifyReply): void {
  const before = reply.getHeader('vary')
  void reply.header('vary', before === undefined ? 'accept-encoding' : `${String(before)}, accept-encoding`)
}

/** RFC 9110 section 12.5.3. A weight of 0 refuses; an encoding that is not named is not wanted, unless `*` is. */
export function bestEncoding(accepted: string): Encoding | undefined {
  const weights = new Map(
    accepted
      .toLowerCase()
      .split(',')
      .map((part) => part.split(';').map((piece) => piece.trim()))
      .map(([name = '', ...rest]) => {
        const weight = rest.find((piece) => piece.startsWith('q='))
        return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0] as const
      }),
  )
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get('*') ?? 0
  const best = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip'
  return weightOf(best) > 0 ? best : undefined
}
