// Reads process information from proc(5).
import { readFile, readdir } from 'node:fs/promises'

/** Resident memory of a process, in bytes. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) * 1_024
}

/** Process id of the embedded PostgreSQL of a data folder. */
export async function postmasterPid(dataFolder: string): Promise<number> {
  const elsewhere = await readFile(`${dataFolder}/postgres/location`, 'utf8').catch(() => `${dataFolder}/postgres`)
  const [pid = ''] = (await readFile(`${elsewhere.trim()}/18-data/postmaster.pid`, 'utf8')).split('\n')
  return Number(pid)
}

/** True when a process is alive; a zombie is not. */
export async function isAlive(pid: number): Promise<boolean> {
  const state = (await statusFields(pid))[0]
  return state !== undefined && state !== 'Z'
}

/** A process and its children. */
export async function familyOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = await Promise.all(pids.map(async (pid) => Number((await statusFields(pid))[1])))
  return [parent, ...pids.filter((_, index) => parents[index] === parent)]
}

/** Fields of `/proc/<pid>/stat` from the state on; empty when there is no such process. */
async function statusFields(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name before them is in parentheses and may contain anything.
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
