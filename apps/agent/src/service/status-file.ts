// The running agent's status for `status`, in the service manager's runtime folder.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Reachability } from '../agent.ts'
import { RUNTIME_NAME } from './places.ts'

const AgentStatus = z.object({
  pid: z.number(),
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
  const write = (state: Reachability): void => {
    const status: AgentStatus = { pid: process.pid, ...facts, ...state }
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
    return parsed.success && isRunning(parsed.data.pid) ? parsed.data : undefined
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
