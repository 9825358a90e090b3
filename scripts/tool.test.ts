import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startChild } from './quickstart/processes.ts'

const TOOL = resolve(import.meta.dirname, 'tool.ts')

it.each(['SIGTERM', 'the loss of its parent'])('leaves no tool running when a build is stopped by %s', async (way) => {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-tool-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const said = join(folder, 'pid')
  const endless = join(folder, 'endless.js')
  const build = join(folder, 'build.ts')
  await writeFile(
    endless,
    `require('node:fs').writeFileSync(${JSON.stringify(said)}, String(process.pid)); setInterval(() => {}, 1_000)`,
  )
  await writeFile(
    build,
    `import { tool } from ${JSON.stringify(TOOL)}\nawait tool(${JSON.stringify(endless)}, [], '/')\n`,
  )

  const child = startChild(build, [], { quiet: true })
  const pid = await vi.waitUntil(async () => Number(await readFile(said, 'utf8').catch(() => '')), 15_000)
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  })
  if (way === 'SIGTERM') await child.stop()
  else child.process.disconnect()
  await child.ended
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
