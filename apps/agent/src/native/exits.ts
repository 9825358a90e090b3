// Exits of processes: waits for those that spawn.ts started, and for no others (Node reaps its own).
import koffi from 'koffi'
import { cMemory } from './memory.ts'

const libc = koffi.load(null)
const waitpid: (pid: number, status: Buffer, options: number) => number = libc.func(
  'int waitpid(int pid, void *status, int options)',
)

const WNOHANG = 1
const LOST_STATUS = 255

/** A process's exit: an exit status 0 to 255, or the number of the signal that killed it. */
export type Exit = { readonly status: number } | { readonly signal: number; readonly coreDumped: boolean }

/** Started processes that have not been reaped, with their callbacks. */
const awaited = new Map<number, (exit: Exit) => void>()
let listening = false

/** Must be called before a process is started: otherwise the SIGCHLD of one that ends at once would be lost. */
export function listenForExits(): void {
  if (listening) return
  listening = true
  process.on('SIGCHLD', reap)
}

/**
 * Calls `exited` once, in a later iteration of the event loop, when the process has ended and been reaped.
 * Must be called in the iteration that started it.
 */
export function exitOf(pid: number, exited: (exit: Exit) => void): void {
  awaited.set(pid, exited)
}

function reap(): void {
  const status = cMemory(4)
  for (const [pid, exited] of awaited) {
    const reaped = waitpid(pid, status, WNOHANG)
    if (reaped === 0) continue
    awaited.delete(pid)
    // Reaped by other code: its status is lost.
    const word = reaped === pid ? status.readInt32LE(0) : LOST_STATUS << 8
    const signal = word & 0x7f
    exited(signal === 0 ? { status: (word >> 8) & 0xff } : { signal, coreDumped: (word & 0x80) !== 0 })
  }
}
