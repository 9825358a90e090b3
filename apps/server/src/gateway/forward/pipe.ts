// Bytes between an SSH channel and a link stream. Credit goes through: what one side has taken is given back to the
// other only when it could be passed on, so a slow reader stops the sender at its source and nothing piles up here.
import type { LinkStream, StreamHandler } from '@bowline/link/api'
import type { ChannelHandler, SshChannel } from '@bowline/ssh/api'
import type { ForwardLog } from '../record/forward-log.ts'

/** One direction: `source` gets credit back as `write` finds room. */
export interface Flow {
  /** Passes bytes on. */
  pass(bytes: Uint8Array, lane: 0 | 1): void
  /** The sink has room again. */
  drained(): void
}

/**
 * @param write of the sink; false when it is full
 * @param consumed of the source
 */
function createFlow(write: (bytes: Uint8Array, lane: 0 | 1) => boolean, consumed: (count: number) => void): Flow {
  /** Bytes passed on while the sink was full: their credit is owed. */
  let owed = 0
  return {
    pass(bytes, lane) {
      // The length is read first: the sink owns the memory afterwards.
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

/** From the person to the device. The device has no second lane for input. */
export function toDeviceFlow(channel: SshChannel, stream: LinkStream): Flow {
  return createFlow(
    (bytes) => stream.write(bytes, 0, () => channel.free?.(bytes)),
    (count) => channel.consumed(count),
  )
}

/** From the device to the person: lane 1 is stderr. */
export function toClientFlow(stream: LinkStream, channel: SshChannel): Flow {
  return createFlow(
    (bytes, lane) => channel.write(bytes, lane),
    (count) => stream.consumed(count),
  )
}

/** The two ends of one forwarded connection: bytes with credit both ways, half-closes, one end, counted in `log`. */
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
      // What was sent before is still delivered: the target may be reading its last bytes.
      closed: (cause) => stream.close({ by: 'user', reason: 'channel-closed', message: cause.message }),
    },
  }
}
