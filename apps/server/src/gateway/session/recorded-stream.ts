// Puts a recorder between a device's stream and its consumer: bytes are written to the file first, and EOF follows them
// in order. Control messages bypass it, since they use no credit: the consumer decides which of them wait for the bytes,
// and how many.
import type { StreamHandler } from '@bowline/link/api'
import type { FileReader } from '../../recordings/files/operation.ts'
import type { Recorder } from '../../recordings/record/recorder.ts'

/**
 * Wraps a handler so that its output passes the recorder first.
 * @param handler borrows the buffers it receives
 * @param files observes the bytes
 */
export function recordedStream(handler: StreamHandler, recorder: Recorder, files?: FileReader): StreamHandler {
  const pass = {
    0: (bytes: Uint8Array) => handler.data(bytes, 0),
    1: (bytes: Uint8Array) => handler.data(bytes, 1),
  }
  return {
    ...messagesTo(handler),
    // The recorder copies.
    transient: true,
    data(bytes, lane) {
      if (lane === 0) files?.deviceData(bytes)
      recorder.output(bytes, lane, pass[lane])
    },
    eof: () => recorder.after(() => handler.eof?.()),
    closed(cause) {
      files?.end()
      recorder.after(() => handler.closed(cause))
      void recorder.finish()
    },
  }
}

/** Wraps a handler of a file transfer: records the file operations, not the bytes. */
export function readStream(handler: StreamHandler, recorder: Recorder, files: FileReader): StreamHandler {
  return {
    ...messagesTo(handler),
    transient: handler.transient ?? false,
    eof: () => handler.eof?.(),
    data(bytes, lane) {
      if (lane === 0) files.deviceData(bytes)
      handler.data(bytes, lane)
    },
    closed(cause) {
      files.end()
      handler.closed(cause)
      void recorder.finish()
    },
  }
}

/** Forwards the calls that no wrapper changes; a handler may be a class. */
function messagesTo(handler: StreamHandler): Required<Pick<StreamHandler, 'drain' | 'control'>> {
  return {
    drain: () => handler.drain?.(),
    control: (message) => handler.control?.(message),
  }
}
