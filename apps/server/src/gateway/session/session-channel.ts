// One session channel: collects the terminal and the environment, starts one process on the device, and relays its bytes,
// size changes, signals and exit.
import type { LinkMessage, StreamHandler } from '@bowline/link/api'
import { CLIENT_VARIABLE, type Pty, type SessionOpen } from '@bowline/link/stream-messages'
import { beginSpan, traceField } from '../../platform/tracing/spans.ts'
import type { ChannelHandler, CloseCause, PtyRequest, SessionRequest, SshChannel } from '@bowline/ssh/api'
import { announce, connectedLine } from '../record/announcement.ts'
import { causeForDevice } from '../record/end-cause.ts'
import { fileLog } from '../record/file-log.ts'
import type { Forwards } from '../forward/forwards.ts'
import type { Listener } from '../forward/listener.ts'
import { toDeviceFlow, toClientFlow } from '../forward/pipe.ts'
import type { AcceptedLogin } from '../login/accepted-login.ts'
import type { FileReader } from '../../recordings/files/operation.ts'
import type { Recorder } from '../../recordings/record/recorder.ts'
import type { SessionCause } from '../../sessions/service.ts'
import { type RunningProcess, deviceSide } from './device-side.ts'
import { readStream, recordedStream } from './recorded-stream.ts'
import { type Run, commandOf, isBulk } from './run.ts'

export interface SessionChannelParts {
  readonly channel: SshChannel
  readonly login: AcceptedLogin
  /** Index of the channel on its connection, from 0: `seat` of its events and recordings. */
  readonly channelIndex: number
  readonly forwards: Forwards
  /** Why an administrator, a policy or this server ends the connection; undefined otherwise. */
  readonly ended: () => SessionCause | undefined
  /** Starts to record the channel; undefined when the namespace does not record. */
  readonly record:
    | ((recording: Pick<Pty, 'term' | 'columns' | 'rows'> & { hasTerminal: boolean; command: string }) => Recorder)
    | undefined
}

/** Options requested before the process starts. */
interface Setup {
  pty?: Pty
  readonly env: [string, string][]
  agent?: Listener
  display?: Listener
  displayRequested: boolean
  /** Requested sockets that are not open yet. */
  readonly preparing: Promise<unknown>[]
}

/** Recorder of the process; both undefined without recording, `files` also without file transfer. */
interface Recording {
  readonly recorder: Recorder | undefined
  readonly files: FileReader | undefined
}

/** Deferred until the process runs, or immediate. */
type Act = (process: RunningProcess) => void

/** The stages of a channel, in this order. A channel runs one process, once. */
type State =
  | { readonly is: 'new' }
  /** Waits for its sockets, for the connection's listeners, and for a required recording. */
  | { readonly is: 'starting'; readonly early: Act[] }
  | { readonly is: 'running'; readonly process: RunningProcess }
  | { readonly is: 'closed' }

/** Recording header of processes without a terminal. */
const NO_TERMINAL = { term: '', columns: 80, rows: 24, hasTerminal: false }
/** Bulk windows for programs, small ones for terminals: keystrokes must not wait behind a screenful. */
const BULK_WINDOW_BYTES = 1_048_576
/** Limit of queued inputs and messages for a starting process. */
const MAX_EARLY = 4_096

/** The SSH side of a process. The transport calls `request`, `data`, `drain` and `eof` in any order, `closed` last. */
export class SessionChannel implements ChannelHandler {
  readonly #parts: SessionChannelParts
  readonly #setup: Setup = { env: [], displayRequested: false, preparing: [] }
  #state: State = { is: 'new' }
  /** The client has sent a signal. */
  #hasSignalled = false

  constructor(parts: SessionChannelParts) {
    this.#parts = parts
  }

  request(request: SessionRequest): boolean | Promise<boolean> {
    const { login, channelIndex } = this.#parts
    switch (request.type) {
      case 'pty-req':
      case 'env':
      case 'auth-agent-req@openssh.com':
      case 'x11-req':
        return this.#state.is === 'new' && this.#setUp(request)
      case 'shell':
        return this.#start({ type: 'shell' })
      case 'exec':
        return this.#start({ type: 'exec', command: Buffer.from(request.command).toString('base64') })
      case 'subsystem':
        return this.#start({ type: 'subsystem', name: request.name })
      case 'window-change': {
        const { columns, rows, width, height } = request
        login.record.note('window-change', channelIndex, { columns, rows })
        this.#forProcess(({ recorder }) => recorder?.resize(columns, rows))
        return this.#control({ type: 'window-change', columns, rows, width, height })
      }
      case 'signal':
        login.record.note('signal', channelIndex, { signal: request.name })
        this.#hasSignalled = true
        return this.#control({ type: 'signal', name: request.name })
      case 'break':
        return this.#control({ type: 'break', lengthMs: request.lengthMs })
      case 'eow@openssh.com':
        return this.#control({ type: 'eow' })
    }
  }

  data(bytes: Uint8Array): void {
    // Without a process there is nothing to read it: dropped, as sshd does.
    if (this.#state.is === 'new' || this.#state.is === 'closed') return this.#parts.channel.consumed(bytes.length)
    this.#forProcess(({ files, input }) => {
      files?.clientData(bytes)
      input.pass(bytes, 0)
    })
  }

  drain(): void {
    if (this.#state.is === 'running') this.#state.process.output.drained()
  }

  eof(): void {
    this.#forProcess(({ stream }) => stream.eof())
  }

  closed(cause: CloseCause): void {
    const before = this.#state
    this.#state = { is: 'closed' }
    this.#setup.display?.close()
    if (before.is !== 'running') return
    const { stream } = before.process
    // Unread input is dropped: nothing is left to wait for it. A signal that was sent last still arrives.
    const queued = this.#hasSignalled && stream.queuedBytes === 0 ? 'send' : 'drop'
    // What its process has left in the background is known to the device only until the stream ends.
    const ended = this.#parts.ended()
    const why = ended && causeForDevice(ended)
    stream.close(why ?? { by: 'user', reason: 'channel-closed', message: cause.message }, queued)
  }

  #setUp(request: Extract<SessionRequest, { type: 'pty-req' | 'env' | 'auth-agent-req@openssh.com' | 'x11-req' }>) {
    const { login, channelIndex, forwards } = this.#parts
    const setup = this.#setup
    switch (request.type) {
      case 'pty-req': {
        const pty = toPty(request)
        setup.pty = pty
        const { term, columns, rows, width, height } = pty
        login.record.note('pty-req', channelIndex, { term, columns, rows, width, height })
        return true
      }
      case 'env':
        // The value may be a secret.
        login.record.note('env', channelIndex, { name: request.name })
        // Refuse it as sshd does, so that the client knows.
        if (!CLIENT_VARIABLE.test(request.name)) return false
        setup.env.push([request.name, request.value])
        return true
      case 'auth-agent-req@openssh.com':
        return this.#prepare(forwards.agent(), (found) => (setup.agent = found))
      case 'x11-req':
        if (setup.displayRequested) return false
        setup.displayRequested = true
        return this.#prepare(forwards.x11(request), (found) => {
          setup.display = found
          if (this.#isClosed) found.close()
        })
    }
  }

  /** Opens a socket for the process before it starts. */
  #prepare(listener: Promise<Listener | undefined>, keep: (found: Listener) => void): Promise<boolean> {
    const prepared = listener.then((found) => {
      if (found) keep(found)
      return found !== undefined
    })
    this.#setup.preparing.push(prepared)
    return prepared
  }

  /** Starts the process. @returns whether it runs */
  async #start(run: Run): Promise<boolean> {
    if (this.#state.is !== 'new') return false
    const { login, channelIndex, forwards } = this.#parts
    const early: Act[] = []
    this.#state = { is: 'starting', early }
    const command = commandOf(run)
    login.record.note(run.type, channelIndex, command === undefined ? {} : { command })
    const recording = this.#record(run, command)
    const { recorder } = recording
    const awaited = [...this.#setup.preparing, ...forwards.opening, ...(recorder?.required ? [recorder.begun] : [])]
    if (awaited.length > 0) {
      await Promise.allSettled(awaited)
      // With required recording, nothing runs unrecorded.
      const mayRun = !recorder?.required || (await recorder.begun)
      if (this.#isClosed || !mayRun) {
        void recorder?.finish()
        return false
      }
    }
    return this.#launch(run, recording, early)
  }

  #record(run: Run, command = ''): Recording {
    const { login, channelIndex, record } = this.#parts
    const { pty } = this.#setup
    const recorder = record?.({ ...(pty ? { ...pty, hasTerminal: true } : NO_TERMINAL), command })
    return { recorder, files: recorder && fileLog({ type: run.type, command }, recorder, login.record, channelIndex) }
  }

  #launch(run: Run, { recorder, files }: Recording, early: readonly Act[]): Promise<boolean> {
    const { channel, login } = this.#parts
    const { pty, env, agent, display } = this.#setup
    const { address, port } = channel.connection.peer
    const open: SessionOpen = {
      login: login.stream.id,
      run,
      ...(pty ? { pty } : {}),
      env,
      client: { address, port },
      ...(agent ? { agent: agent.id } : {}),
      ...(display ? { x11: display.id } : {}),
      ...traceField(login.trace),
    }
    const starting = beginSpan(
      'process.start',
      { 'bowline.run': run.type, 'bowline.terminal': pty !== undefined },
      login.trace,
    )
    return new Promise((resolve) => {
      login.link.open(
        'session',
        open,
        (stream): StreamHandler => {
          const input = toDeviceFlow(channel, stream)
          const process = { stream, input, output: toClientFlow(stream, channel), recorder, files }
          this.#state = { is: 'running', process }
          const readsFiles = files && isBulk(run) ? files : undefined
          const isText = recorder && !readsFiles
          const device = deviceSide(process, {
            ...this.#parts,
            inOrder: isText ? (act) => recorder.after(act) : (act) => act(),
            started: (runs, quiet) => {
              starting.end()
              // The login is over with its first process.
              if (login.trace.isRecording()) login.trace.end()
              if (runs) this.#greet(run, quiet)
              resolve(runs)
            },
          })
          if (!recorder) return device
          return readsFiles ? readStream(device, recorder, readsFiles) : recordedStream(device, recorder, files)
        },
        pty ? {} : { windowBytes: BULK_WINDOW_BYTES },
      )
      for (const act of early) this.#forProcess(act)
    })
  }

  /**
   * Writes the greeting of a shell's terminal: the connected device on stderr, because no program wrote it, unless the
   * account suppresses it (`.hushlogin`), then the announcement.
   */
  #greet(run: Run, quiet: boolean): void {
    if (run.type !== 'shell' || !this.#setup.pty) return
    const { channel, login } = this.#parts
    const { user, target } = login
    if (!quiet) channel.write(connectedLine(`${user}@${target.namespace}.${target.name}`), 1)
    channel.write(announce(target.announcement))
  }

  /** Sends a message to the process ahead of unread input. @returns whether a process was started */
  #control(message: LinkMessage): boolean {
    this.#forProcess(({ stream }) => stream.control(message, 'overtaking'))
    return this.#state.is !== 'new'
  }

  /** Runs an action on the process: now, once it runs, or never without one. */
  #forProcess(act: Act): void {
    if (this.#state.is === 'running') act(this.#state.process)
    else if (this.#state.is === 'starting' && this.#state.early.push(act) > MAX_EARLY) this.#parts.channel.close()
  }

  /** For checks after an `await`, where the compiler still assumes the earlier state. */
  get #isClosed(): boolean {
    return this.#state.is === 'closed'
  }
}

function toPty({ term, columns, rows, width, height, modes }: PtyRequest): Pty {
  return { term: term.slice(0, 1_024), columns, rows, width, height, modes: Buffer.from(modes).toString('base64') }
}
