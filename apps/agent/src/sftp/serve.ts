// The server loop: requests in, responses out, in sequence. Reads and writes of the two pipes block, so a client that
// does not read responses stops the reading of requests, and no queue can grow here.
import { readSync, writeSync } from 'node:fs'
import { PacketBuffer } from '@bowline/sftp/packets'
import { decodeRequest } from '@bowline/sftp/requests'
import type { FileServer } from './server.ts'

/** Batch of small responses sent together, bytes. */
const BATCH_BYTES = 16 * 1024

/**
 * Serves until the input ends.
 * @throws {MalformedPacket} after which the input cannot be trusted
 */
export function serve(server: FileServer, input: number, output: number): void {
  const packets = new PacketBuffer()
  const answers = new Answers(output)
  try {
    for (;;) {
      for (let packet = packets.next(); packet; packet = packets.next()) {
        const request = decodeRequest(packet)
        // Only responses to writes are batched: nothing else is pipelined in bulk, and a slow request must not hold
        // back the responses before it.
        if (request.type !== 'write') answers.flush()
        const answer = server.answer(request)
        if (request.type === 'write') answers.add(answer)
        else answers.send(answer)
      }
      answers.flush()
      const space = packets.space()
      const count = readSync(input, space, 0, space.length, null)
      if (count === 0) return
      packets.filled(count)
    }
  } catch (error) {
    // The client has disconnected.
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return
    throw error
  } finally {
    server.close()
  }
}

class Answers {
  readonly #fd: number
  readonly #batch = Buffer.allocUnsafe(BATCH_BYTES)
  #length = 0

  constructor(fd: number) {
    this.#fd = fd
  }

  add(answer: Buffer): void {
    if (this.#length + answer.length > this.#batch.length) this.flush()
    this.#length += answer.copy(this.#batch, this.#length)
  }

  send(answer: Buffer): void {
    for (let offset = 0; offset < answer.length;) {
      offset += writeSync(this.#fd, answer, offset, answer.length - offset)
    }
  }

  flush(): void {
    if (this.#length === 0) return
    const { length } = this.#batch.subarray(0, this.#length)
    this.#length = 0
    this.send(this.#batch.subarray(0, length))
  }
}
