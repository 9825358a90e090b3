// What the figures were measured on: they mean little without it.
import { execFileSync, spawnSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, release } from 'node:os'
import { root } from './site/site.ts'

export interface Machine {
  readonly facts: Readonly<Record<string, string | number>>
  /** One line for people. */
  readonly text: string
}

/**
 * Whether each process between client and command has a core: client, server, agent, command. With fewer, what sshd
 * reaches with its two processes is out of reach for any four (README, "What is possible here").
 */
export const hasCoreForEach = availableParallelism() >= 4

/** Asked before the first row: the load is that of the others. */
export function describeMachine(): Machine {
  const ssh = spawnSync('ssh', ['-V'], { encoding: 'utf8' }).stderr.trim().split(',')[0] ?? ''
  const facts = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    kernel: release(),
    node: process.version,
    ssh,
    revision: git('describe', '--always', '--dirty'),
    load: Number((loadavg()[0] ?? 0).toFixed(2)),
    startedAt: new Date().toISOString(),
  }
  const { cpu, cores, kernel, node, revision, load } = facts
  return {
    facts,
    text: `${revision} on ${cores} × ${cpu}, Linux ${kernel}, Node ${node}, ${ssh}; load before: ${load}`,
  }
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return 'unknown'
  }
}
