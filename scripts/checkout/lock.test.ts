import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { takeCheckoutLock } from './lock.js'

const LOCK = join(import.meta.dirname, 'lock.js')

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-lock-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

it('lets the next process in when the lock is released, and tells it for whom it waits', async () => {
  const folder = await emptyFolder()
  const release = takeCheckoutLock('install', folder)
  const program = `import { takeCheckoutLock } from ${JSON.stringify(LOCK)}
takeCheckoutLock('install', ${JSON.stringify(folder)})()
console.log('had it')`
  const other = spawn(process.execPath, ['--input-type=module', '-e', program])
  onTestFinished(() => void other.kill())
  let said = ''
  other.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()))
  other.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()))
  await expect.poll(() => said, { timeout: 20_000 }).toContain(`Waiting for process ${process.pid}`)
  expect(said).not.toContain('had it')
  release()
  await expect.poll(() => said, { timeout: 20_000 }).toContain('had it')
  expect(readdirSync(folder)).toEqual([])
})

it('takes the lock of a process that has ended', async () => {
  const folder = await emptyFolder()
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  writeFileSync(join(folder, 'build.lock'), String(pid))
  const release = takeCheckoutLock('build', folder)
  release()
  expect(existsSync(join(folder, 'build.lock'))).toBe(false)
})
