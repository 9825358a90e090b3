// A connection that arrived at a listener on the device, handed to the person's client as a channel.
import type { LinkStream, StreamHandler } from '@bowline/link/api'
import type { SshChannel, SshConnection } from '@bowline/ssh/api'
import type { ForwardLog } from './forward-log.ts'
import { type Flow, towardsDevice, towardsPerson } from './pipe.ts'

/** The channel to open: its type and the type's own fields. */
export interface ClientChannel {
  readonly type: string
  readonly fields: Uint8Array
}

/**
 * Asks the client to take the connection behind `stream`; the device sends its bytes once it has.
 * @param asked resolves when the client knows of the listener
 */
export function acceptChannel(
  connection: SshConnection,
  asked: Promise<ClientChannel>,
  stream: LinkStream,
  log: ForwardLog,
): StreamHandler {
  let channel: SshChannel | undefined
  let input: Flow | undefined
  let output: Flow | undefined
  let closed = false

  const open = async (): Promise<void> => {
    const { type, fields } = await asked
    if (closed) return
    await connection.openChannel(type, fields, (opened) => {
      channel = opened
      input = towardsDevice(opened, stream)
      output = towardsPerson(stream, opened)
      if (closed) opened.close()
      else stream.control({ type: 'connected' })
      return {
        data(bytes) {
          log.toDevice(bytes.length)
          input?.pass(bytes, 0)
        },
        drain: () => output?.drained(),
        eof: () => stream.eof(),
        closed: (cause) => stream.close({ by: 'user', reason: 'channel-closed', message: cause.message }),
      }
    })
  }
  open().catch((error: unknown) => {
    const message = error instanceof Error ? error.message : 'the client does not take the connection'
    stream.close({ by: 'user', reason: 'refused', message })
  })

  return {
    borrows: true,
    data(bytes) {
      log.toPerson(bytes.length)
      if (output) return output.pass(bytes, 0)
      stream.close({ by: 'gateway', reason: 'protocol', message: 'Bytes came before the client took the connection.' })
    },
    drain: () => input?.drained(),
    eof: () => channel?.eof(),
    closed() {
      closed = true
      log.end()
      channel?.close()
    },
  }
}
