// Filter for an error that podman appends to a process's output when input arrives after its end.
import type { Lane } from '@bowline/link/api'

const ERROR = /Error: write unixpacket @->\S+\/attach: write: broken pipe\n$/
/** Bytes that the error is looked for in; it is shorter. */
const LONGEST = 256

/** Holds that error back, and passes it on only if more output follows. */
export class LateInput {
  #held: { readonly bytes: Buffer; readonly lane: Lane } | undefined

  /** @param write receives what the process has written */
  push(bytes: Buffer, lane: Lane, write: (bytes: Buffer, lane: Lane) => void): void {
    const held = this.#held
    this.#held = undefined
    if (held) write(held.bytes, held.lane)
    const { length = 0 } = ERROR.exec(bytes.subarray(-LONGEST).toString('latin1'))?.[0] ?? {}
    const end = bytes.length - length
    if (end > 0) write(bytes.subarray(0, end), lane)
    if (length > 0) this.#held = { bytes: bytes.subarray(end), lane }
  }
}
