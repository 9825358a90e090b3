// PostgreSQL's COPY through `pg`, whose own query objects do not support it: callbacks of a query object for the COPY
// sub-protocol (PostgreSQL documentation, "Message Flow, COPY Operations"). Invariant: neither side buffers without
// limit; each applies backpressure to the other.
import type { Client, Connection, Submittable } from 'pg'

/** COPY methods of `pg`'s connection, missing from its type declarations. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Uint8Array): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

const MAX_QUEUED_BYTES = 1_048_576

/**
 * Runs `copy … to stdout`.
 * @param statement sent verbatim
 * @yields one row in COPY's text format with its line end; the receiver owns the memory
 */
export async function* copyOut(client: Client, statement: string): AsyncGenerator<Buffer, void, undefined> {
  const copy = new CopyOut(statement)
  client.query(copy)
  try {
    for (;;) {
      const rows = await copy.take()
      if (rows.length === 0) return
      yield* rows
    }
  } finally {
    await copy.end()
  }
}

class CopyOut implements Submittable {
  readonly #statement: string
  readonly #ended = Promise.withResolvers<void>()
  #connection: Connection | undefined
  #rows: Buffer[] = []
  #bytes = 0
  #over = false
  #error: Error | undefined
  #wake: () => void = () => undefined

  constructor(statement: string) {
    this.#statement = statement
  }

  /** All rows that have arrived, at least one; none at the end. */
  async take(): Promise<Buffer[]> {
    while (this.#rows.length === 0 && !this.#over) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await promise
    }
    if (this.#error) throw this.#error
    const rows = this.#rows
    this.#rows = []
    this.#bytes = 0
    this.#connection?.stream.resume()
    return rows
  }

  /** Waits until the connection is free again, dropping rows that still arrive. */
  async end(): Promise<void> {
    this.handleCopyData = () => undefined
    this.#connection?.stream.resume()
    await this.#ended.promise
  }

  submit(connection: Connection): void {
    this.#connection = connection
    connection.query(this.#statement)
  }

  handleCopyData = ({ chunk }: { chunk: Uint8Array }): void => {
    // Copied, because the driver reuses the memory.
    this.#rows.push(Buffer.from(chunk))
    this.#bytes += chunk.length
    if (this.#bytes > MAX_QUEUED_BYTES) this.#connection?.stream.pause()
    this.#wake()
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.#error = error
    this.#finish()
  }

  handleReadyForQuery(): void {
    this.#finish()
  }

  #finish(): void {
    this.#over = true
    this.#ended.resolve()
    this.#wake()
  }
}

/**
 * Runs `copy … from stdin` with `data` in COPY's text format.
 * @returns number of rows that PostgreSQL took
 */
export async function copyIn(client: Client, statement: string, data: Uint8Array): Promise<number> {
  const copy = new CopyIn(statement, data)
  client.query(copy)
  return copy.rows
}

const ROWS = /^COPY (\d+)/

class CopyIn implements Submittable {
  readonly #statement: string
  readonly #data: Uint8Array
  readonly #result = Promise.withResolvers<number>()
  #rows = 0

  constructor(statement: string, data: Uint8Array) {
    this.#statement = statement
    this.#data = data
  }

  get rows(): Promise<number> {
    return this.#result.promise
  }

  submit(connection: Connection): void {
    connection.query(this.#statement)
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(this.#data)
    connection.endCopyFrom()
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#rows = Number(ROWS.exec(text)?.[1] ?? 0)
  }

  handleError(error: Error): void {
    this.#result.reject(error)
  }

  handleReadyForQuery(): void {
    this.#result.resolve(this.#rows)
  }
}
