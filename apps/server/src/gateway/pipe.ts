// Bytes between an SSH channel and a link stream. Credit goes through: what one side has taken is given back to the
// other only when it could be passed on, so a slow reader stops the sender at its source and nothing piles up here.
import type { SshChannel } from '@bowline/ssh/api'
import type { LinkStream } from '@bowline/link/api'

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
export function towardsDevice(channel: SshChannel, stream: LinkStream): Flow {
  return createFlow(
    (bytes) => stream.write(bytes, 0, () => channel.free?.(bytes)),
    (count) => channel.consumed(count),
  )
}

/** From the device to the person: lane 1 is stderr. */
export function towardsPerson(stream: LinkStream, channel: SshChannel): Flow {
  return createFlow(
    (bytes, lane) => channel.write(bytes, lane),
    (count) => stream.consumed(count),
  )
}
