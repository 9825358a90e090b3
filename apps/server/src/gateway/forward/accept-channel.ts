// Forwards a connection from a listener on the device to the client as a channel.
import type { LinkStream, StreamHandler } from '@bowline/link/api'
import type { SshConnection } from '@bowline/ssh/api'
import { deferHandler } from './deferred-handler.ts'
import type { ForwardLog } from '../record/forward-log.ts'
import { joinForward } from './pipe.ts'

/** The channel to open: its type and the type's own fields. */
export interface ClientChannel {
  readonly type: string
  readonly fields: Uint8Array
}

/**
 * Opens a channel to the client for the connection of `stream`; the device sends its bytes once the client accepts.
 * @param asked resolves when the client knows the listener's port
 */
export function acceptChannel(
  connection: SshConnection,
  asked: Promise<ClientChannel>,
  stream: LinkStream,
  log: ForwardLog,
): StreamHandler {
  let ended = false
  const deferred = deferHandler(
    {
      control: () => undefined,
      closed() {
        ended = true
        log.end()
      },
      overflow: () =>
        stream.close({
          by: 'gateway',
          reason: 'protocol',
          message: 'Bytes came before the client took the connection.',
        }),
    },
    0,
  )

  const open = async (): Promise<void> => {
    const { type, fields } = await asked
    if (ended) return
    await connection.openChannel(type, fields, (channel) => {
      const ends = joinForward(channel, stream, log)
      deferred.attach(ends.device)
      stream.control({ type: 'connected' })
      return ends.client
    })
  }
  open().catch((error: unknown) => {
    const message = error instanceof Error ? error.message : 'the client does not take the connection'
    stream.close({ by: 'user', reason: 'refused', message })
  })
  return deferred.handler
}
