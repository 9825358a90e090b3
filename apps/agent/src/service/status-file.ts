// The running agent's status for `status`, in the service manager's runtime folder.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Reachability } from '../agent.ts'
import { RUNTIME_NAME } from './places.ts'

const AgentStatus = z.object({
  pid: z.number(),
  /** Start of the process, so that another one with its id is not taken for it. */
  started: z.number(),
  version: z.string(),
  server: z.string(),
  linked: z.boolean(),
  sshid: z.string().optional(),
  pairing: z.boolean().optional(),
})
export type AgentStatus = z.infer<typeof AgentStatus>

const NAME = 'status.json'

/** Writes immediately, and again at each call; does nothing without a runtime folder. */
export function statusWriter(
  folder: string | undefined,
  facts: Pick<AgentStatus, 'version' | 'server'>,
): (state: Reachability) => void {
  if (!folder) return () => {}
  const file = join(folder, NAME)
  const started = startOf(process.pid) ?? 0
  const write = (state: Reachability): void => {
    const status: AgentStatus = { pid: process.pid, started, ...facts, ...state }
    try {
      writeFileSync(`${file}.new`, `${JSON.stringify(status)}\n`)
      renameSync(`${file}.new`, file)
    } catch {
      // Only affects `status`; the agent continues.
    }
  }
  write({ linked: false })
  return write
}

/** The status last written by the running agent; undefined when none runs. */
export function readStatus(folder = join('/run', RUNTIME_NAME)): AgentStatus | undefined {
  try {
    const parsed = AgentStatus.safeParse(JSON.parse(readFileSync(join(folder, NAME), 'utf8')))
    return parsed.success && isRunning(parsed.data) ? parsed.data : undefined
  } catch {
    return undefined
  }
}

function isRunning({ pid, started }: AgentStatus): boolean {
  const start = startOf(pid)
  if (start !== undefined) return start === started
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    // Another user's, which /proc may hide (hidepid): it can be shown, and gets no signal.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** When a process was started, in clock ticks since the boot (proc_pid_stat(5), field 22); undefined where it cannot be read. */
function startOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name, in parentheses, and may have any character.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
  } catch {
    return undefined
  }
}
