// Copies bytes between an SSH channel and a link stream with end-to-end backpressure: credit is returned to one side only
// after the other accepted the bytes, so a slow reader pauses the sender at its source and nothing is buffered here.
import type { LinkStream, StreamHandler } from '@bowline/link/api'
import type { ChannelHandler, SshChannel } from '@bowline/ssh/api'
import type { ForwardLog } from '../record/forward-log.ts'

/** One direction: the source gets credit back as the sink accepts bytes. */
export interface Flow {
  /** Forwards bytes to the sink. */
  pass(bytes: Uint8Array, lane: 0 | 1): void
  /** The sink has sent some of what it had queued. */
  drained(): void
}

/**
 * @param write writes to the sink; false when it is full
 * @param consumed returns credit to the source
 * @param queued bytes that the sink has accepted and not yet sent
 */
export function createFlow(
  write: (bytes: Uint8Array, lane: 0 | 1) => boolean,
  consumed: (count: number) => void,
  queued: () => number,
): Flow {
  /** Bytes written while the sink was full, whose credit is returned as the sink sends them. */
  let owed = 0
  return {
    pass(bytes, lane) {
      // Read the length first: the sink owns the memory afterwards.
      const { length } = bytes
      if (write(bytes, lane)) consumed(length)
      else owed += length
    },
    drained() {
      const count = owed - queued()
      if (count <= 0) return
      owed -= count
      consumed(count)
    },
  }
}

/** From the client to the device. Input has a single lane. */
export function toDeviceFlow(channel: SshChannel, stream: LinkStream): Flow {
  return createFlow(
    (bytes) => stream.write(bytes, 0, () => channel.free?.(bytes)),
    (count) => channel.consumed(count),
    () => stream.queuedBytes,
  )
}

/** From the device to the client: lane 1 is stderr. */
export function toClientFlow(stream: LinkStream, channel: SshChannel): Flow {
  return createFlow(
    (bytes, lane) => channel.write(bytes, lane),
    (count) => stream.consumed(count),
    () => channel.queuedBytes,
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
