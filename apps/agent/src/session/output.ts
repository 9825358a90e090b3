// Reads a process's output. It goes through one buffer per descriptor and stops exactly on request: nothing is buffered
// inside Node, where the end of a terminal (EIO) would discard it.
import { Socket, type OnReadOpts } from 'node:net'
import { ReadStream } from 'node:tty'
import { BlockPool } from '@bowline/base/bytes/block-pool'

const READ_BYTES = 64 * 1024
/** Together with its frame headers, one read of a pipe fills one message of the link. */
const PIPE_READ_BYTES = READ_BYTES - 32
const pipeBlocks = new BlockPool(PIPE_READ_BYTES, 16)
/** Less than this is copied: the link's queue must not hold much more memory than it has bytes. */
const MIN_GIVEN_BYTES = 16 * 1024
/** A terminal returns at most 4 KiB per read; reads of one event loop iteration are passed on in one piece. */
const BATCH_BYTES = 64 * 1024

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
  let block = pipeBlocks.take()
  const onread: OnReadOpts = {
    // Called after every read: the next one reuses the memory, or gets other memory when that has been passed on.
    buffer: () => block,
    callback(count) {
      const read = block
      if (count < MIN_GIVEN_BYTES) reader(copyOf(read.subarray(0, count)))
      else {
        block = pipeBlocks.take()
        reader(read.subarray(0, count), () => pipeBlocks.release(read))
      }
      return true
    },
  }
  const socket = new Socket({ fd, readable: true, writable: false, onread }).resume()
  socket.on('close', () => pipeBlocks.release(block))
  return { socket, fd, flush: () => {} }
}

/** A terminal's master side. `error` (EIO) and `close` follow when its last user is gone. */
export function readTerminal(fd: number, reader: BytesReader): Output {
  const batch = Buffer.allocUnsafeSlow(BATCH_BYTES)
  let length = 0
  const flush = (): void => {
    if (length === 0) return
    const bytes = copyOf(batch.subarray(0, length))
    length = 0
    reader(bytes)
  }
  const onread = onRead((bytes) => {
    if (length + bytes.length > batch.length) flush()
    if (length === 0) setImmediate(flush)
    batch.set(bytes, length)
    length += bytes.length
  })
  const socket = new ReadStream(fd, { onread }).resume()
  socket.on('close', flush)
  return { socket, fd, flush }
}

/** @param take gets a view that the next read overwrites */
function onRead(take: (view: Uint8Array) => void): OnReadOpts {
  return {
    buffer: Buffer.allocUnsafeSlow(READ_BYTES),
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
