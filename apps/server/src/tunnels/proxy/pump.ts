// The body of an answer on its way to the visitor. `pipe` stops the service after each 64 KiB until Node has written
// them: every write is small then, and both sides take turns.
import type { Readable, Writable } from 'node:stream'

/** Bytes that may wait for a visitor who reads slowly. */
const MAX_WAITING_BYTES = 256 * 1024

/** Passes everything on and ends the response with the answer; stops reading when the response is closed. */
export function pump(answer: Readable, response: Writable): void {
  const pass = (chunk: Buffer): void => {
    response.write(chunk)
    if (response.writableLength > MAX_WAITING_BYTES) answer.pause()
  }
  const end = (): void => void response.end()
  const resume = (): void => void answer.resume()
  answer.on('data', pass).on('end', end)
  response.on('drain', resume)
  response.once('close', () => {
    answer.off('data', pass).off('end', end).pause()
    response.off('drain', resume)
  })
}
