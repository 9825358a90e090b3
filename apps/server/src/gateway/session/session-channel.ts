// One session channel – a seat: collects the terminal and the environment, starts one process on the device, carries
// its bytes, its size changes, its signals and its end.
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import { CLIENT_VARIABLE, type Pty, SessionEvent, type SessionOpen } from '@bowline/link/stream-messages'
import type { ChannelHandler, PtyRequest, SessionRequest, SshChannel } from '@bowline/ssh/api'
import { announce, connectedLine } from '../record/announcement.ts'
import { fileLog } from '../record/file-log.ts'
import type { Forwards } from '../forward/forwards.ts'
import { oneLine, withReason } from '../record/device-words.ts'
import type { Listener } from '../forward/listener.ts'
import type { AcceptedLogin } from '../login/login.ts'
import { type Flow, towardsDevice, towardsPerson } from '../forward/pipe.ts'
import type { FileReader } from '../../recordings/files/operation.ts'
import type { Recorder } from '../../recordings/record/recorder.ts'
import { readStream, recordedStream } from './recorded-stream.ts'
import { TEXTS } from '../record/texts.ts'

type Run = SessionOpen['run']

/** A process on the device: its stream and the bytes both ways. */
interface RunningProcess {
  readonly stream: LinkStream
  readonly input: Flow
  readonly output: Flow
}

/** What a request does beside its answer. */
export interface Seat {
  readonly channel: SshChannel
  readonly login: AcceptedLogin
  readonly seat: number
  readonly forwards: Forwards
  /** Starts to record the seat; undefined when the namespace does not record. */
  readonly record:
    | ((seat: Pick<Pty, 'term' | 'columns' | 'rows'> & { hasTerminal: boolean; command: string }) => Recorder)
    | undefined
}

/** Of a recording of what has no terminal. */
const NO_TERMINAL = { term: '', columns: 80, rows: 24, hasTerminal: false }

/** Bulk windows for programs, small ones for terminals: keystrokes must not wait behind a screenful. */
const BULK_WINDOW_BYTES = 1_048_576
/** What a client may say to a process that is still waiting for its display. */
const MAX_EARLY = 4_096

/**
 * Serves a session channel.
 * @param seat index of the channel on its connection, from 0
 */
export function sessionChannel({ channel, login, seat, forwards, record }: Seat): ChannelHandler {
  let pty: Pty | undefined
  let process: RunningProcess | undefined
  let recorder: Recorder | undefined
  let files: FileReader | undefined
  const env: [string, string][] = []
  let isStarted = false
  let closed = false
  /** Sockets that the process is told of: asked for before it starts, some of them not there yet. */
  let agent: Listener | undefined
  let display: Listener | undefined
  let displayAsked = false
  const preparing: Promise<unknown>[] = []
  /** What came for the process while it waited for them, and for the connection's other listeners. */
  let early: (() => void)[] | undefined

  /** Starts the process; resolves with whether it runs. A channel runs one process, once. */
  async function start(run: Run): Promise<boolean> {
    if (isStarted) return false
    isStarted = true
    login.record.note(run.type, seat, factsOf(run))
    const { command = '' } = factsOf(run)
    recorder = record?.({ ...(pty ? { ...pty, hasTerminal: true } : NO_TERMINAL), command })
    files = recorder && fileLog({ type: run.type, command }, recorder, login.record, seat)
    const awaited = [...preparing, ...forwards.opening, ...(recorder?.required ? [recorder.begun] : [])]
    if (awaited.length === 0) return launch(run)
    early = []
    await Promise.allSettled(awaited)
    // Where sessions must be recorded, nothing runs that is not.
    if (closed || (recorder?.required && !(await recorder.begun))) {
      void recorder?.finish()
      return false
    }
    const runs = launch(run)
    for (const act of early) act()
    early = undefined
    return runs
  }

  function launch(run: Run): Promise<boolean> {
    return new Promise((resolve) => {
      const open: SessionOpen = {
        login: login.stream.id,
        run,
        ...(pty ? { pty } : {}),
        env,
        client: { address: channel.connection.peer.address, port: channel.connection.peer.port },
        ...(agent ? { agent: agent.id } : {}),
        ...(display ? { x11: display.id } : {}),
      }
      const options = pty ? {} : { windowBytes: BULK_WINDOW_BYTES }
      login.link.open(
        'session',
        open,
        (stream) => {
          const running = {
            stream,
            input: towardsDevice(channel, stream),
            output: towardsPerson(stream, channel),
          }
          process = running
          const inOrder = isText(run) && recorder ? (act: () => void) => recorder?.after(act) : undefined
          return heard(deviceSide({ channel, login, seat, recorder, inOrder }, started(run, resolve), running), run)
        },
        options,
      )
    })
  }

  /** Whether the bytes of a process are text that a player can show; those of a file transfer are not. */
  const isText = (run: Run): boolean => !(files && run.type === 'subsystem')

  /** The device's stream as the recorder, if any, passes it on. */
  function heard(device: StreamHandler, run: Run): StreamHandler {
    if (!recorder) return device
    return files && !isText(run) ? readStream(device, recorder, files) : recordedStream(device, recorder, files)
  }

  /** Does it when the process has its stream: now, later, or never when there is no process. */
  function forProcess(act: () => void): void {
    if (!early) act()
    else if (early.push(act) > MAX_EARLY) channel.close()
  }

  /** Gets a socket for the process to come. */
  function prepare(listener: Promise<Listener | undefined>, keep: (found: Listener) => void): Promise<boolean> {
    const prepared = listener.then((found) => {
      if (found) keep(found)
      return found !== undefined
    })
    preparing.push(prepared)
    return prepared
  }

  /**
   * Tells whether the process runs; a shell with a terminal begins with where it is, unless the person has asked the
   * device for quiet (`.hushlogin`), and with the announcement. The former is no output of anything: stderr.
   */
  function started(run: Run, resolve: (runs: boolean) => void): (runs: boolean, quiet?: boolean) => void {
    return (runs, quiet = false) => {
      if (runs && run.type === 'shell' && pty) {
        const { user, target } = login
        if (!quiet) channel.write(connectedLine(`${user}@${target.namespace}.${target.name}`), 1)
        channel.write(announce(target.announcement))
      }
      resolve(runs)
    }
  }

  function request(asked: SessionRequest): boolean | Promise<boolean> {
    switch (asked.type) {
      case 'pty-req':
        if (isStarted) return false
        pty = toPty(asked)
        login.record.note('pty-req', seat, {
          term: pty.term,
          columns: pty.columns,
          rows: pty.rows,
          width: pty.width,
          height: pty.height,
        })
        return true
      case 'env':
        if (isStarted) return false
        // The value may be a secret.
        login.record.note('env', seat, { name: asked.name })
        // A client that asks is told that the device does not take it, as by sshd.
        if (!CLIENT_VARIABLE.test(asked.name)) return false
        env.push([asked.name, asked.value])
        return true
      case 'shell':
        return start({ type: 'shell' })
      case 'exec':
        return start({ type: 'exec', command: Buffer.from(asked.command).toString('base64') })
      case 'subsystem':
        return start({ type: 'subsystem', name: asked.name })
      case 'window-change': {
        const { columns, rows, width, height } = asked
        login.record.note('window-change', seat, { columns, rows })
        recorder?.resize(columns, rows)
        return tell({ type: 'window-change', columns, rows, width, height })
      }
      case 'signal':
        login.record.note('signal', seat, { signal: asked.name })
        return tell({ type: 'signal', name: asked.name })
      case 'break':
        return tell({ type: 'break', lengthMs: asked.lengthMs })
      case 'eow@openssh.com':
        return tell({ type: 'eow' })
      case 'auth-agent-req@openssh.com':
        if (isStarted) return false
        return prepare(forwards.agent(), (found) => (agent = found))
      case 'x11-req':
        if (isStarted || displayAsked) return false
        displayAsked = true
        return prepare(forwards.x11(asked), (found) => {
          display = found
          if (closed) found.close()
        })
    }
  }

  function tell(message: LinkMessage): boolean {
    // A signal must reach a process that does not read its input.
    forProcess(() => process?.stream.control(message, 'overtaking'))
    return isStarted
  }

  return {
    data(bytes) {
      // Before a process is asked for there is nobody to read; what is sent then is dropped, as sshd does.
      if (!isStarted) return channel.consumed(bytes.length)
      forProcess(() => {
        files?.fromPerson(bytes)
        process?.input.pass(bytes, 0)
      })
    },
    drain: () => process?.output.drained(),
    eof: () => forProcess(() => process?.stream.eof()),
    request,
    closed(cause) {
      closed = true
      display?.close()
      // Input that the process has not read yet dies with its channel: nobody is left to wait for it.
      process?.stream.close({ by: 'user', reason: 'channel-closed', message: cause.message }, 'drop')
    },
  }
}

interface DeviceSideParts extends Omit<Seat, 'record' | 'forwards'> {
  readonly recorder: Recorder | undefined
  /** Runs an action once the recorder has passed on what came before it. Default: at once. */
  readonly inOrder: ((act: () => void) => void) | undefined
}

/** The device's end: output, the answer to the start, one exit. */
function deviceSide(
  { channel, login, seat, recorder, inOrder = (act) => act() }: DeviceSideParts,
  started: (runs: boolean, quiet?: boolean) => void,
  { stream, input, output }: RunningProcess,
): StreamHandler {
  let state: 'starting' | 'running' | 'exited' = 'starting'

  function ended(event: Exclude<SessionEvent, { type: 'started' }>): void {
    if (event.type === 'exit') {
      login.record.note('exit-status', seat, { status: event.status })
      recorder?.exit(event.status)
      channel.exitStatus(event.status)
    } else {
      const { signal, coreDumped } = event
      const message = oneLine(event.message)
      login.record.note('exit-signal', seat, { status: signal, dumped: coreDumped, message, lang: '' })
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
        return inOrder(() => ended(event))
      }
      if (event.type === 'started' && state === 'starting') {
        state = 'running'
        return inOrder(() => started(true, event.quiet))
      }
      // Control messages cost the device no credit: one that repeats itself would fill the memory behind a slow client.
      stream.close({ by: 'gateway', reason: 'protocol', message: `The device sent ${event.type} twice.` })
    },
    closed(cause) {
      started(false)
      if (state !== 'exited') explain(channel, cause, login.target.name)
      channel.close()
    },
  }
}

/** A process that ends without an exit: the person is told why, on stderr, before the channel closes. */
function explain(channel: SshChannel, cause: LinkCause, device: string): void {
  if (cause.by === 'user') return
  channel.write(Buffer.from(`\r\n${withReason(TEXTS.sessionEnded, cause, device)}\r\n`), 1)
}

/** What the list of events tells of what was run. */
function factsOf(run: Run): { command?: string } {
  if (run.type === 'exec') return { command: Buffer.from(run.command, 'base64').toString() }
  return run.type === 'subsystem' ? { command: run.name } : {}
}

function toPty(request: PtyRequest): Pty {
  return {
    term: request.term.slice(0, 1_024),
    columns: request.columns,
    rows: request.rows,
    width: request.width,
    height: request.height,
    modes: Buffer.from(request.modes).toString('base64'),
  }
}
