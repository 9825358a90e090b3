// Reads a process's output. It goes through one buffer per descriptor and stops exactly on request: nothing is buffered
// inside Node, where the end of a terminal (EIO) would discard it.
import { Socket, type OnReadOpts } from 'node:net'
import { ReadStream } from 'node:tty'
import { BlockPool } from '@bowline/base/bytes/block-pool'

/**
 * One read of a pipe, or what is read from a terminal in one event loop iteration. Together with its frame headers it fills one
 * message of the link.
 */
const BLOCK_BYTES = 64 * 1024 - 32
const blocks = new BlockPool(BLOCK_BYTES, 16)
/** Less than this is copied: the link's queue must not hold much more memory than it has bytes. */
const MIN_GIVEN_BYTES = 16 * 1024
/**
 * A read of a terminal returns no more than this, whatever is waiting. Where a read fills the memory it was given, libuv reads
 * on at once, up to 32 times; after any other it goes back to the event loop, and each piece would become a message.
 */
const TERMINAL_READ_BYTES = 4_095

/** Receives a descriptor's bytes; the callee owns the memory. `done`: called when it may be reused. */
export type BytesReader = (bytes: Uint8Array, done?: () => void) => void

/** A descriptor being read. The socket emits `close` at the end; its `pause` and `resume` take effect at once. */
export interface Output {
  readonly socket: Socket
  readonly fd: number
  /** Passes on bytes held back for batching. */
  flush(): void
}

/** A pipe's reading end. */
export function readPipe(fd: number, reader: BytesReader): Output {
  let block = blocks.take()
  const onread: OnReadOpts = {
    // Called after every read: the next one reuses the memory, or gets other memory when that has been passed on.
    buffer: () => block,
    callback(count) {
      const read = block
      if (count < MIN_GIVEN_BYTES) reader(copyOf(read.subarray(0, count)))
      else {
        block = blocks.take()
        reader(read.subarray(0, count), () => blocks.release(read))
      }
      return true
    },
  }
  const socket = new Socket({ fd, readable: true, writable: false, onread }).resume()
  socket.on('close', () => blocks.release(block))
  return { socket, fd, flush: () => {} }
}

/** A terminal's master side. `error` (EIO) and `close` follow when its last user is gone. */
export function readTerminal(fd: number, reader: BytesReader): Output {
  let batch = blocks.take()
  let length = 0
  const flush = (): void => {
    if (length === 0) return
    const full = batch
    const bytes = full.subarray(0, length)
    length = 0
    if (bytes.length < MIN_GIVEN_BYTES) return reader(copyOf(bytes))
    batch = blocks.take()
    reader(bytes, () => blocks.release(full))
  }
  const onread = onRead((bytes) => {
    if (length + bytes.length > batch.length) flush()
    if (length === 0) setImmediate(flush)
    batch.set(bytes, length)
    length += bytes.length
  })
  const socket = new ReadStream(fd, { onread }).resume()
  socket.on('close', () => {
    flush()
    blocks.release(batch)
  })
  return { socket, fd, flush }
}

/** @param take gets a view that the next read overwrites */
function onRead(take: (view: Uint8Array) => void): OnReadOpts {
  return {
    buffer: Buffer.allocUnsafeSlow(TERMINAL_READ_BYTES),
    callback(count, buffer) {
      take(buffer.subarray(0, count))
      return true
    },
  }
}

/** A separate copy: a slice of a pool would keep the whole pool alive in the link's queue. */
function copyOf(view: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(view.length)
  bytes.set(view)
  return bytes
}
