// What servers that were killed leave behind in /tmp, and what others still use.
import { chmod, mkdtemp, rmdir, stat, utimes } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { findPostmaster } from './postmaster.ts'
import { clusterOf, ended, served, testFolders, until } from './testing.ts'

const { madeFolder, otherServer } = testFolders()
const nothing = async () => undefined

/** As after a day. */
async function age(folder: string): Promise<void> {
  await utimes(folder, new Date(0), new Date(0))
}

async function killPostgres(cluster: string): Promise<void> {
  process.kill((await findPostmaster(cluster))?.pid ?? 0, 'SIGKILL')
  await until(async () => (await findPostmaster(cluster)) === undefined)
}

it('removes the folder of a server that was killed together with its PostgreSQL', async () => {
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

it('leaves the folder to a PostgreSQL that outlived its server', async () => {
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

it('leaves the folder to a server that has adopted it and whose PostgreSQL has crashed', async () => {
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

it('leaves a new folder, which a server that starts is about to use', async () => {
  const folder = await mkdtemp('/tmp/bowline-pg-')
  await served(await madeFolder(), nothing)
  expect((await stat(folder)).isDirectory()).toBe(true)
  await age(folder)
  await served(await madeFolder(), nothing)
  await expect(stat(folder)).rejects.toThrow('ENOENT')
})

it('leaves a folder that others can enter: no server made it', async () => {
  const folder = await mkdtemp('/tmp/bowline-pg-')
  await chmod(folder, 0o755)
  await age(folder)
  await served(await madeFolder(), nothing)
  expect((await stat(folder)).isDirectory()).toBe(true)
  await rmdir(folder)
})
