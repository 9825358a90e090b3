// The console, built from today's sources into a folder of its own, so that tests never judge yesterday's page nor one
// that somebody else is just building.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
let built: Promise<string> | undefined
let users = 0

export interface BuiltConsole {
  /** Holds `index.html`. */
  readonly folder: string
  /** Whoever asked for it needs it no more; the last one removes it. */
  release(): Promise<void>
}

/** The build of this process, made when the first one asks for it. */
export async function borrowConsole(): Promise<BuiltConsole> {
  users += 1
  built ??= build()
  const folder = await built
  return {
    folder,
    async release() {
      users -= 1
      if (users > 0) return
      built = undefined
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function build(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-console-'))
  // In a process of its own: test runners set NODE_ENV, which would make it a development build.
  const { NODE_ENV: _, ...env } = process.env
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const flags = ['build', 'apps/console', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn']
  await promisify(execFile)(process.execPath, [vite, ...flags], { cwd: root, env })
  return folder
}
