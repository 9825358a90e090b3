// Description of the machine that was measured: without it the figures mean little.
import { execFileSync, spawnSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, release } from 'node:os'
import { root } from './site/site.ts'

export interface Machine {
  readonly facts: Readonly<Record<string, string | number>>
  /** One human-readable line. */
  readonly text: string
}

/**
 * Whether each process between client and command has a core: client, server, agent, command. With fewer cores, four
 * processes cannot reach what sshd reaches with its two (README, "What is possible here").
 */
export const hasCoreForEach = availableParallelism() >= 4

/** Read before the first row: the load is that of other processes. */
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
