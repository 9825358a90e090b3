// The agent for this machine: single-user, so that the system's accounts are not touched, with a random device password
// stored only in this data folder.
import nodeFlags from '../node-flags.json' with { type: 'json' }
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Child, startChild } from './processes.ts'
import { systemUserName } from './system-user.ts'

const AGENT = 'apps/agent/src/main.ts'
/** Exit code of an agent with invalid settings: restarting is pointless. */
const WRONG_SETTINGS = 2
const RESTART_MS = 1_000

export const keyFile = (dataFolder: string): string => join(dataFolder, 'quickstart-agent.key')

/** The device password (128 random bits) and its crypt hash, created once per data folder. */
export async function agentPassword(root: string, dataFolder: string): Promise<{ plain: string; hash: string }> {
  const file = join(dataFolder, 'quickstart-agent.password')
  const plain = await readFile(file, 'utf8').catch(async () => {
    const made = randomBytes(16).toString('hex')
    await writeFile(file, made, { mode: 0o600 })
    return made
  })
  const result = spawnSync(process.execPath, [join(root, AGENT), 'hash-password'], { input: plain, encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`The agent cannot hash its password: ${result.stderr}`)
  return { plain, hash: result.stdout.trim() }
}

/** Starts the agent, and restarts it when it crashes: an agent relies on its parent to do that. */
export function startAgent(
  root: string,
  options: { origin: string; tenant: string; pin: string; dataFolder: string; hash: string },
): { readonly user: string; stop(): Promise<void> } {
  const launch = (): Child =>
    startChild(join(root, AGENT), ['--single-user'], {
      flags: nodeFlags.agent,
      env: {
        BOWLINE_SERVER_ADDRESS: options.origin,
        BOWLINE_SERVER_PIN: options.pin,
        BOWLINE_TENANT_ID: options.tenant,
        BOWLINE_PRIVATE_KEY: keyFile(options.dataFolder),
        BOWLINE_SINGLE_USER_PASSWORD: options.hash,
        BOWLINE_LOG_LEVEL: process.env['BOWLINE_LOG_LEVEL'] ?? 'warn',
      },
    })
  let stopped = false
  let life = launch()
  const watch = (): void => {
    void life.ended.then(async (code) => {
      if (stopped || code === WRONG_SETTINGS) return
      process.stderr.write('The agent has ended; starting it again.\n')
      await wait(RESTART_MS)
      if (stopped) return
      life = launch()
      watch()
    })
  }
  watch()
  return {
    user: systemUserName(),
    stop() {
      stopped = true
      return life.stop()
    },
  }
}
