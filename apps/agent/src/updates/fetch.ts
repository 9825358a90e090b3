// Files of the server, with the same trust as its API. Large ones go on where an earlier attempt stopped.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { connectServer } from '@bowline/link/server-address'
import { type Server, requestOver } from '../device/server-api.ts'

/** Without a byte for this long, an attempt ends. */
const SILENCE_MS = 60_000

/** The server did not send what was asked for; the message says what it did. */
export class FetchError extends Error {
  override readonly name = 'FetchError'
}

export interface FetchParts {
  readonly server: Server
  readonly userAgent: string
  readonly signal: AbortSignal
}

/** @throws {FetchError | ConnectError | Error} also when it is longer than `limitBytes` */
export async function fetchBytes(parts: FetchParts, path: string, limitBytes: number): Promise<Buffer> {
  return get(parts, path, 0, async (incoming) => {
    if (incoming.statusCode !== 200) throw refused(path, incoming)
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > limitBytes) throw new FetchError(`${path} is longer than ${limitBytes} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  })
}

/**
 * Fetches a file of which size and hash are known; a part that is there is completed. One attempt.
 * @param file to write; nobody but this process may write to its folder
 * @throws {FetchError | ConnectError | Error} what has arrived stays for the next attempt, unless it is wrong
 */
export async function fetchFile(
  parts: FetchParts,
  path: string,
  file: string,
  expected: { readonly size: number; readonly sha256: string },
): Promise<void> {
  const handle = await open(file, 'a', 0o600)
  try {
    const { size: start } = await handle.stat()
    if (start > expected.size) await handle.truncate(0)
    if (start < expected.size) {
      await get(parts, path, start, async (incoming) => {
        const isRest = incoming.statusCode === 206 && start > 0
        if (!isRest && incoming.statusCode !== 200) throw refused(path, incoming)
        if (!isRest) await handle.truncate(0)
        let length = isRest ? start : 0
        for await (const chunk of incoming as AsyncIterable<Buffer>) {
          length += chunk.length
          if (length > expected.size) throw new FetchError(`${path} is longer than the manifest says`)
          await handle.appendFile(chunk)
        }
        if (length < expected.size) throw new FetchError(`${path} ended after ${length} bytes`)
      })
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  if (hash.digest('hex') === expected.sha256) return
  await rm(file)
  throw new FetchError(`${path} is not what the manifest names: its SHA-256 differs`)
}

async function get<T>(
  { server, userAgent, signal }: FetchParts,
  path: string,
  start: number,
  read: (incoming: IncomingMessage) => Promise<T>,
): Promise<T> {
  const socket = await connectServer(server.address, server.pins, signal)
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new FetchError(`${path}: nothing has arrived for a minute`)))
  try {
    const headers = start > 0 ? { range: `bytes=${start}-` } : {}
    const incoming = await requestOver(socket, server, { method: 'GET', path, userAgent, headers }, signal)
    return await read(incoming)
  } finally {
    socket.destroy()
  }
}

function refused(path: string, { statusCode }: IncomingMessage): FetchError {
  return new FetchError(`the server answered ${statusCode} to the request for ${path}`)
}
