// A command on one device, as a session of this browser.
import type { Runtime } from '../../core/runtime.ts'
import { endText } from '../terminal/pane/end-text.ts'
import { type RemoteTerminal, type TerminalState, openRemoteTerminal } from '../terminal/connection/remote-terminal.ts'
import { type Access, type PaneDevice, inBrowser, ticketFor } from '../terminal/pane/pane-session.ts'
import { inTurn } from './in-turn.ts'
import { commandsMessages as texts } from './messages.ts'
import type { Execute, Outcome } from './run.ts'

/** Output that is kept for each device; characters. */
const MAX_OUTPUT = 64 * 1_024

/** @returns runs the command on a device, signed in by the same user name and credential on each */
export function executeWith(runtime: Runtime, command: string, access: Access): Execute {
  return async (device, signal) => {
    const begun = performance.now()
    const kept = keepOutput()
    const outcome = await outcomeOf(runtime, { device, command, access, signal, write: kept.write })
    return { device, outcome, ...kept.end(), milliseconds: Math.round(performance.now() - begun) }
  }
}

/** Collects what a command writes, up to {@link MAX_OUTPUT}. */
function keepOutput() {
  const decoder = new TextDecoder()
  let output = ''
  let isCut = false
  const add = (text: string): void => {
    isCut ||= output.length + text.length > MAX_OUTPUT
    output += text.slice(0, MAX_OUTPUT - output.length)
  }
  return {
    write: (bytes: Uint8Array): void => add(decoder.decode(bytes, { stream: true })),
    end() {
      add(decoder.decode())
      return { output, isCut }
    },
  }
}

interface Begin {
  readonly device: PaneDevice
  readonly command: string
  readonly access: Access
  readonly signal: AbortSignal
  readonly write: (bytes: Uint8Array) => void
}

function outcomeOf(runtime: Runtime, { device, command, access, signal, write }: Begin): Promise<Outcome> {
  const { username, credential } = access
  return new Promise((resolve) => {
    const remote: RemoteTerminal = openRemoteTerminal({
      ...inBrowser(),
      target: { device: device.uid, username },
      credential,
      size: undefined,
      command,
      ticket: () => inTurn(() => ticketFor(runtime, device, username), signal),
      output(bytes, done) {
        write(bytes)
        done()
      },
    })
    const finish = (outcome: Outcome): void => {
      resolve(outcome)
      signal.removeEventListener('abort', stop)
      remote.close()
    }
    const stop = (): void => finish({ kind: 'stopped' })
    signal.addEventListener('abort', stop)
    remote.state.subscribe(() => {
      const outcome = settled(remote.state.get())
      if (outcome) finish(outcome)
    })
  })
}

/** Outcome of the command in this state; undefined while it goes on. */
function settled(state: TerminalState): Outcome | undefined {
  if (state.kind === 'refused') return { kind: 'refused' }
  if (state.kind === 'asked') return { kind: 'failed', reason: texts.asks }
  if (state.kind !== 'ended') return undefined
  const { exit } = state
  if (exit?.status !== undefined) return { kind: 'exited', status: exit.status }
  if (exit?.signal !== undefined) return { kind: 'killed', signal: exit.signal }
  return { kind: 'failed', reason: endText(state) }
}
