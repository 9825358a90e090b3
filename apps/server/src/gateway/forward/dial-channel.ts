// Forwarded connections (ssh -L, -D, -W): dialled by the device, never by the server.
import { DialEvent, type DialOpen } from '@bowline/link/stream-messages'
import { type ChannelDecision, OPEN_CONNECT_FAILED } from '@bowline/ssh/api'
import type { Clock } from '@bowline/base/clock'
import { deferHandler } from './deferred-handler.ts'
import { openForwardLog } from '../record/forward-log.ts'
import type { AcceptedLogin } from '../login/accepted-login.ts'
import { joinForward } from './pipe.ts'

const WINDOW_BYTES = 1_048_576

/** Has the device connect, and accepts the channel once it is connected. */
export function dialChannel(login: AcceptedLogin, target: DialOpen['target'], clock: Clock): Promise<ChannelDecision> {
  return new Promise((resolve) => {
    const deferred = deferHandler(
      {
        control(message) {
          if (!DialEvent.safeParse(message).success) return
          resolve({
            accept: true,
            attach(channel) {
              const name = 'path' in target ? target.path : `${target.host}:${target.port}`
              const log = openForwardLog(login.record, clock, name)
              const ends = joinForward(channel, stream, log)
              deferred.attach(ends.device)
              return ends.client
            },
          })
        },
        closed: (cause) => resolve({ accept: false, code: OPEN_CONNECT_FAILED, message: cause.message }),
        overflow: () => stream.close({ by: 'gateway', reason: 'protocol', message: 'More arrived than was granted.' }),
      },
      WINDOW_BYTES,
    )
    const open: DialOpen = { login: login.stream.id, target }
    const stream = login.link.open('dial', open, deferred.handler, { windowBytes: WINDOW_BYTES })
  })
}
