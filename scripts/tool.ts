// Runs a tool of the project, for builds.
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a file or a command like scripts/run.js. A signal that ends this process ends the tool too: otherwise it would
 * continue writing where the next build writes.
 * @throws {Error} when the tool fails
 */
export async function tool(name: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'scripts/run.js'), name, ...args], {
    cwd,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal)
  for (const signal of ENDINGS) process.on(signal, pass)
  const code = await new Promise<number | null>((settle, reject) => child.once('error', reject).once('close', settle))
  for (const signal of ENDINGS) process.off(signal, pass)
  if (code !== 0) throw new Error(`${name} ${args.join(' ')} failed`)
}
