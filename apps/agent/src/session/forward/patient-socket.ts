// A TCP connection that can still be read when it can no longer be written.
import { Socket } from 'node:net'

type Done = (error?: Error | null) => void

/**
 * A service may answer and close before it has read everything that is sent to it, as for an upload that it does not take.
 * Node's socket ends at the first failed write and drops the answer, which has arrived. This one drops what is written from
 * then on; it ends when reading does.
 */
export class PatientSocket extends Socket {
  #isDeaf = false

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    if (this.#isDeaf) return done()
    super._write(chunk, encoding, this.#patiently(done))
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: Done): void {
    if (this.#isDeaf) return done()
    super._writev?.(chunks, this.#patiently(done))
  }

  #patiently(done: Done): Done {
    return (error) => {
      if (!error || this.readableEnded || this.destroyed) return done(error)
      this.#isDeaf = true
      done()
    }
  }
}
