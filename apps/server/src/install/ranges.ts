// A file of which a client may ask for the rest after a broken transfer (RFC 9110, section 14).
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Sends a file, or what follows an offset for `Range: bytes=N-`; any other range is answered with the whole file. */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, file: string): Promise<FastifyReply> {
  const { size } = await stat(file)
  const [, digits] = /^bytes=(\d{1,15})-$/.exec(request.headers.range ?? '') ?? []
  void reply.header('accept-ranges', 'bytes')
  if (digits === undefined) return reply.header('content-length', size).send(createReadStream(file))
  const start = Number(digits)
  if (start >= size) return reply.code(416).header('content-range', `bytes */${size}`).send()
  return reply
    .code(206)
    .header('content-length', size - start)
    .header('content-range', `bytes ${start}-${size - 1}/${size}`)
    .send(createReadStream(file, { start }))
}
