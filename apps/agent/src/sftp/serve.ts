// The loop: requests in, answers out, one after the other. Reads and writes of the two pipes wait, so whoever does not
// take answers stops the reading of requests, and no queue can grow here.
import { readSync, writeSync } from 'node:fs'
import { PacketBuffer } from '@bowline/sftp/packets'
import { decodeRequest } from '@bowline/sftp/requests'
import type { FileServer } from './server.ts'

/** Small answers that leave together, bytes. */
const BATCH_BYTES = 16 * 1024

/**
 * Serves until the input ends.
 * @throws {MalformedPacket} after which nothing of the input can be trusted
 */
export function serve(server: FileServer, input: number, output: number): void {
  const packets = new PacketBuffer()
  const answers = new Answers(output)
  try {
    for (;;) {
      for (let packet = packets.next(); packet; packet = packets.next()) {
        const request = decodeRequest(packet)
        // Only writes are answered together: nothing else is sent many times over without a look at the answers, and
        // a request that waits for long must not hold back what has been done before it.
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
    // The client is gone.
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
