// Copies bytes between an SSH channel and a link stream with end-to-end backpressure: credit is returned to one side only
// after the other accepted the bytes, so a slow reader pauses the sender at its source and nothing is buffered here.
import type { LinkStream, StreamHandler } from '@bowline/link/api'
import type { ChannelHandler, SshChannel } from '@bowline/ssh/api'
import type { ForwardLog } from '../record/forward-log.ts'

/** One direction: the source gets credit back as the sink accepts bytes. */
export interface Flow {
  /** Forwards bytes to the sink. */
  pass(bytes: Uint8Array, lane: 0 | 1): void
  /** The sink accepts bytes again. */
  drained(): void
}

/**
 * @param write writes to the sink; false when it is full
 * @param consumed returns credit to the source
 */
export function createFlow(
  write: (bytes: Uint8Array, lane: 0 | 1) => boolean,
  consumed: (count: number) => void,
): Flow {
  /** Bytes written while the sink was full, whose credit is still owed. */
  let owed = 0
  return {
    pass(bytes, lane) {
      // Read the length first: the sink owns the memory afterwards.
      const { length } = bytes
      if (write(bytes, lane)) consumed(length)
      else owed += length
    },
    drained() {
      const count = owed
      owed = 0
      if (count > 0) consumed(count)
    },
  }
}

/** From the client to the device. Input has a single lane. */
export function toDeviceFlow(channel: SshChannel, stream: LinkStream): Flow {
  return createFlow(
    (bytes) => stream.write(bytes, 0, () => channel.free?.(bytes)),
    (count) => channel.consumed(count),
  )
}

/** From the device to the client: lane 1 is stderr. */
export function toClientFlow(stream: LinkStream, channel: SshChannel): Flow {
  return createFlow(
    (bytes, lane) => channel.write(bytes, lane),
    (count) => stream.consumed(count),
  )
}

/** Joins both sides of a forwarded connection: flow control both ways, half-closes, one end, byte counts in `log`. */
export function joinForward(
  channel: SshChannel,
  stream: LinkStream,
  log: ForwardLog,
): { readonly device: StreamHandler; readonly client: ChannelHandler } {
  const input = toDeviceFlow(channel, stream)
  const output = toClientFlow(stream, channel)
  return {
    device: {
      transient: true,
      data(bytes) {
        log.toClient(bytes.length)
        output.pass(bytes, 0)
      },
      drain: () => input.drained(),
      eof: () => channel.eof(),
      closed() {
        log.end()
        channel.close()
      },
    },
    client: {
      data(bytes) {
        log.toDevice(bytes.length)
        input.pass(bytes, 0)
      },
      drain: () => output.drained(),
      eof: () => stream.eof(),
      // Bytes already sent are still delivered: the target may be reading the last ones.
      closed: (cause) => stream.close({ by: 'user', reason: 'channel-closed', message: cause.message }),
    },
  }
}
