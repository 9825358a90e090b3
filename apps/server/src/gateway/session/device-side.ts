// The device side of a session channel: output, the reply to the start request, one exit.
import type { LinkCause, LinkStream, StreamHandler } from '@bowline/link/api'
import { SessionEvent } from '@bowline/link/stream-messages'
import type { SshChannel } from '@bowline/ssh/api'
import type { FileReader } from '../../recordings/files/operation.ts'
import type { Recorder } from '../../recordings/record/recorder.ts'
import type { Flow } from '../forward/pipe.ts'
import type { AcceptedLogin } from '../login/accepted-login.ts'
import { oneLine, withReason } from '../record/device-text.ts'
import { TEXTS } from '../record/texts.ts'

/** A process on the device: its stream, the flows in both directions, and their observers. */
export interface RunningProcess {
  readonly stream: LinkStream
  readonly input: Flow
  readonly output: Flow
  readonly recorder: Recorder | undefined
  readonly files: FileReader | undefined
}

export interface DeviceSideParts {
  readonly channel: SshChannel
  readonly login: AcceptedLogin
  readonly channelIndex: number
  /** Runs an action after everything that the device sent before it has reached the client. */
  inOrder(act: () => void): void
  /** The device has replied. @param quiet the account suppresses the greeting */
  started(runs: boolean, quiet: boolean): void
}

export function deviceSide({ stream, input, output, recorder }: RunningProcess, parts: DeviceSideParts): StreamHandler {
  const { channel, login, channelIndex } = parts
  let state: 'starting' | 'running' | 'exited' = 'starting'

  function exited(event: Exclude<SessionEvent, { type: 'started' }>): void {
    if (event.type === 'exit') {
      login.record.note('exit-status', channelIndex, { status: event.status })
      recorder?.exit(event.status)
      channel.exitStatus(event.status)
    } else {
      const { signal, coreDumped } = event
      const message = oneLine(event.message)
      login.record.note('exit-signal', channelIndex, { status: signal, dumped: coreDumped, message, lang: '' })
      channel.exitSignal(signal, coreDumped, message)
    }
  }

  return {
    transient: true,
    data: (bytes, lane) => output.pass(bytes, lane),
    drain: () => input.drained(),
    eof: () => channel.eof(),
    control(message) {
      const parsed = SessionEvent.safeParse(message)
      if (!parsed.success) return
      const event = parsed.data
      if (event.type !== 'started' && state !== 'exited') {
        state = 'exited'
        return parts.inOrder(() => exited(event))
      }
      if (event.type === 'started' && state === 'starting') {
        state = 'running'
        return parts.inOrder(() => parts.started(true, event.quiet ?? false))
      }
      // Control messages use no credit: repeated ones would fill memory behind a slow client.
      stream.close({ by: 'gateway', reason: 'protocol', message: `The device sent ${event.type} twice.` })
    },
    closed(cause) {
      parts.started(false, false)
      if (state !== 'exited') explain(channel, cause, login.target.name)
      channel.close()
    },
  }
}

/** Explains on stderr why a process ended without an exit status, before the channel closes. */
function explain(channel: SshChannel, cause: LinkCause, device: string): void {
  if (cause.by === 'user') return
  channel.write(Buffer.from(`\r\n${withReason(TEXTS.sessionEnded, cause, device)}\r\n`), 1)
}
