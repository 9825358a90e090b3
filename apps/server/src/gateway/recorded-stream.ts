// Puts a recorder between a device's stream and whoever takes what it says: bytes go through the file, and everything
// else keeps its place among them.
import type { StreamHandler } from '@bowline/link/api'
import type { Recorder } from '../recordings/recorder.ts'

/** The same handler, heard through the recorder. */
export function recordedStream(handler: StreamHandler, recorder: Recorder): StreamHandler {
  return {
    ...handler,
    data: (bytes, lane) => recorder.output(bytes, lane, () => handler.data(bytes, lane)),
    eof: () => recorder.after(() => handler.eof?.()),
    control: (message) => recorder.after(() => handler.control?.(message)),
    closed(cause) {
      recorder.after(() => handler.closed(cause))
      void recorder.finish()
    },
  }
}
