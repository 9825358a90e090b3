// Reads a head of bounded size off a stream and leaves what follows on it.
import type { Duplex } from 'node:stream'

/** A head that is complete, and how many bytes it takes. */
export interface Head<T> {
  readonly value: T
  readonly bytes: number
}

/**
 * @param parse gets all bytes so far; undefined while more are needed. What it throws rejects
 * @param maxBytes more than these without a head reject
 * @throws {Error} when the stream ends before
 */
export function readHead<T>(
  stream: Duplex,
  parse: (bytes: Buffer) => Head<T> | undefined,
  maxBytes: number,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let seen: Buffer = Buffer.alloc(0)
    const finish = (act: () => void): void => {
      stream.off('readable', read).off('end', ended).off('close', ended)
      act()
    }
    const ended = (): void => finish(() => reject(new Error('the stream has ended')))
    const step = (): boolean => {
      const head = parse(seen)
      if (!head) {
        if (seen.length > maxBytes) throw new Error(`more than ${maxBytes} bytes came where fewer were due`)
        return false
      }
      finish(() => {
        if (seen.length > head.bytes) stream.unshift(seen.subarray(head.bytes))
        resolve(head.value)
      })
      return true
    }
    function read(): void {
      try {
        for (let chunk: Buffer | null = next(); chunk; chunk = next()) {
          seen = Buffer.concat([seen, chunk])
          if (step()) return
        }
      } catch (error) {
        finish(() => reject(error instanceof Error ? error : new Error('the head is malformed')))
      }
    }
    const next = (): Buffer | null => stream.read() as Buffer | null
    stream.on('readable', read).on('end', ended).on('close', ended)
    if (stream.destroyed || stream.readableEnded) ended()
    else read()
  })
}

/** A line that ends with LF, without it. @returns undefined while it is incomplete */
export function parseLine(bytes: Buffer): Head<string> | undefined {
  const end = bytes.indexOf(0x0a)
  return end < 0 ? undefined : { value: bytes.subarray(0, end).toString(), bytes: end + 1 }
}
