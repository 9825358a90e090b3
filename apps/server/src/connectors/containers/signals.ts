// Signals for processes inside of a container, which the engine does not deliver: a second process sends them.
import type { Clock } from '@bowline/base/clock'
import type { Engine } from '@bowline/engine/client'
import { signalCommand } from './start-line.ts'

export interface SignalParts {
  readonly engine: Engine
  readonly clock: Clock
  /** 64 hex digits. */
  readonly container: string
}

/** A program that sends a signal is waited for this long, in milliseconds. */
const SIGNAL_MS = 2_000

/**
 * Signals the group of a process.
 * @param user account that the process runs as; '' for the one of the image
 * @param name without `SIG`; the caller has checked it
 * @param pid inside of the container
 * @throws {EngineError}
 */
export async function sendSignal(parts: SignalParts, user: string, name: string, pid: number): Promise<void> {
  const { engine, clock, container } = parts
  const exec = await engine.createExec(container, { command: signalCommand(name, pid), env: [], user, tty: false })
  const socket = await engine.startExec(exec, false)
  await new Promise<void>((resolve) => {
    const cancel = clock.after(SIGNAL_MS, () => socket.destroy())
    socket.on('error', () => undefined)
    socket.once('end', () => socket.destroy())
    socket.once('close', () => {
      cancel()
      resolve()
    })
    socket.resume()
  })
}
