// Reading what a process writes. It goes through one buffer per descriptor and stops exactly when
// told: nothing waits inside Node, where the end of a terminal (EIO) would throw it away.
import { Socket, type OnReadOpts } from 'node:net'
import { ReadStream } from 'node:tty'
import { BlockPool } from '@bowline/base/bytes/block-pool'

const READ_BYTES = 64 * 1024
/** With the headers of its frame, what is read from a pipe at once fills a message of the link. */
const PIPE_READ_BYTES = READ_BYTES - 32
const pipeBlocks = new BlockPool(PIPE_READ_BYTES, 16)
/** Less than this is copied: the link's queue must not hold much more memory than it has bytes. */
const MIN_GIVEN_BYTES = 16 * 1024
/** A terminal gives at most 4 KiB at a time; what one turn of the event loop brings is passed on in one piece. */
const BATCH_BYTES = 64 * 1024

/** Where a descriptor's bytes go; the memory belongs to the callee. `done` wants to know when it is free again. */
export type BytesReader = (bytes: Uint8Array, done?: () => void) => void

/** A descriptor being read. `close` of the socket tells the end; its `pause` and `resume` act at once. */
export interface Output {
  readonly socket: Socket
  readonly fd: number
  /** Passes on what has been read and is still held back for company. */
  flush(): void
}

/** A pipe's reading end. */
export function readPipe(fd: number, reader: BytesReader): Output {
  let block = pipeBlocks.take()
  const onread: OnReadOpts = {
    // Asked after every read: the next one goes into the same memory, or into other memory when that has been given
    // away.
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

/** @param take gets a view that is overwritten by the next read */
function onRead(take: (view: Uint8Array) => void): OnReadOpts {
  return {
    buffer: Buffer.allocUnsafeSlow(READ_BYTES),
    callback(count, buffer) {
      take(buffer.subarray(0, count))
      return true
    },
  }
}

/** Memory of its own: a slice of a pool would keep the whole pool alive in the link's queue. */
function copyOf(view: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(view.length)
  bytes.set(view)
  return bytes
}
