// Builds the console from the current sources into its own folder, so that tests never use a stale build or one in
// progress.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
let built: Promise<string> | undefined
let users = 0

export interface BuiltConsole {
  /** Contains `index.html`. */
  readonly folder: string
  /** Releases the build; the last release removes it. */
  release(): Promise<void>
}

/** The shared build of this process, started on first use. */
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
  // In a separate process: test runners set NODE_ENV, which would produce a development build.
  const { NODE_ENV: _, ...env } = process.env
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const flags = ['build', 'apps/console', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn']
  await promisify(execFile)(process.execPath, [vite, ...flags], { cwd: root, env })
  return folder
}
