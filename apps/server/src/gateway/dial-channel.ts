// Forwarded connections (ssh -L, -D, -W): dialled by the device, never by this machine.
import type { StreamHandler } from '@bowline/link/api'
import { DialEvent, type DialOpen } from '@bowline/link/streams'
import { type ChannelDecision, OPEN_CONNECT_FAILED, type SshChannel } from '@bowline/ssh/api'
import type { Clock } from '../platform/clock.ts'
import { type ForwardLog, openForwardLog } from './forward-log.ts'
import type { AcceptedLogin } from './login.ts'
import { type Flow, towardsDevice, towardsPerson } from './pipe.ts'

/** Asks the device to connect, and accepts the channel once it has. */
export function dialChannel(login: AcceptedLogin, target: DialOpen['target'], clock: Clock): Promise<ChannelDecision> {
  return new Promise((resolve) => {
    let channel: SshChannel | undefined
    let input: Flow | undefined
    let output: Flow | undefined
    let log: ForwardLog | undefined
    const handler: StreamHandler = {
      borrows: true,
      data(bytes) {
        log?.toPerson(bytes.length)
        output?.pass(bytes, 0)
      },
      drain: () => input?.drained(),
      eof: () => channel?.eof(),
      control(message) {
        if (!DialEvent.safeParse(message).success || channel) return
        resolve({
          accept: true,
          attach(opened) {
            channel = opened
            input = towardsDevice(opened, stream)
            output = towardsPerson(stream, opened)
            log = openForwardLog(login.record, clock, 'path' in target ? target.path : `${target.host}:${target.port}`)
            return {
              data(bytes) {
                log?.toDevice(bytes.length)
                input?.pass(bytes, 0)
              },
              drain: () => output?.drained(),
              eof: () => stream.eof(),
              // What was sent before is still delivered: the target may be reading its last bytes.
              closed: (cause) => stream.close({ by: 'user', reason: 'channel-closed', message: cause.message }),
            }
          },
        })
      },
      closed(cause) {
        log?.end()
        channel?.close()
        resolve({ accept: false, code: OPEN_CONNECT_FAILED, message: cause.message })
      },
    }
    const open: DialOpen = { login: login.stream.id, target }
    const stream = login.link.open('dial', open, handler, { windowBytes: 1_048_576 })
  })
}
