// Clean-up of abandoned run folders in /tmp, and protection of those in use.
import { chmod, mkdtemp, rmdir, stat, utimes } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { findPostmaster } from './postmaster.ts'
import { until } from '@bowline/testkit/until'
import { clusterOf, ended, served, testFolders } from './testing.ts'

const { madeFolder, otherServer } = testFolders()
const nothing = async () => undefined

/** Makes a folder look unchanged for a day. */
async function age(folder: string): Promise<void> {
  await utimes(folder, new Date(0), new Date(0))
}

async function killPostgres(cluster: string): Promise<void> {
  process.kill((await findPostmaster(cluster))?.pid ?? 0, 'SIGKILL')
  await until(async () => (await findPostmaster(cluster)) === undefined)
}

it('removes the run folder of a server killed together with its PostgreSQL', async () => {
  const dataDir = await madeFolder()
  const { child, report } = await otherServer(dataDir)
  const folder = report.host ?? ''
  child.kill('SIGKILL')
  await ended(child)
  await killPostgres(await clusterOf(dataDir))
  await age(folder)
  await served(await madeFolder(), nothing)
  await expect(stat(folder)).rejects.toThrow('ENOENT')
})

it('keeps the run folder of a PostgreSQL that outlived its server', async () => {
  const dataDir = await madeFolder()
  const { child, report } = await otherServer(dataDir)
  const folder = report.host ?? ''
  child.kill('SIGKILL')
  await ended(child)
  await age(folder)
  await served(await madeFolder(), nothing)
  expect((await stat(folder)).isDirectory()).toBe(true)
  await served(dataDir, async (postgres) => expect(postgres.connection.host).toBe(folder))
})

it('keeps the run folder of a live server that adopted it and whose PostgreSQL has crashed', async () => {
  const dataDir = await madeFolder()
  const first = await otherServer(dataDir)
  first.child.kill('SIGKILL')
  await ended(first.child)
  const { child, report } = await otherServer(dataDir)
  const folder = report.host ?? ''
  child.kill('SIGSTOP')
  await killPostgres(await clusterOf(dataDir))
  await age(folder)
  await served(await madeFolder(), nothing)
  expect((await stat(folder)).isDirectory()).toBe(true)
  child.kill('SIGKILL')
})

it('keeps a new run folder, which a starting server is about to use', async () => {
  const folder = await mkdtemp('/tmp/bowline-pg-')
  await served(await madeFolder(), nothing)
  expect((await stat(folder)).isDirectory()).toBe(true)
  await age(folder)
  await served(await madeFolder(), nothing)
  await expect(stat(folder)).rejects.toThrow('ENOENT')
})

it('keeps a folder that others can enter, since no server made it', async () => {
  const folder = await mkdtemp('/tmp/bowline-pg-')
  await chmod(folder, 0o755)
  await age(folder)
  await served(await madeFolder(), nothing)
  expect((await stat(folder)).isDirectory()).toBe(true)
  await rmdir(folder)
})
