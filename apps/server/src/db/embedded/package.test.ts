import { chmod, cp, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runAs } from './account.ts'
import { findPackage, installCopy, type PostgresPackage } from './package.ts'
import { testFolders } from './testing.ts'

const { newFolder } = testFolders()

async function version(copy: string): Promise<string> {
  const self = { kind: 'self' } as const
  return (await runAs(self, join(copy, 'bin/postgres'), ['--version'], copy)).output
}

/** The package as unpacked by npm, before its install script has created any link. */
async function packageWithoutLinks(): Promise<PostgresPackage> {
  const source = await findPackage()
  const native = join(await newFolder(), 'native')
  await cp(source.native, native, { recursive: true, verbatimSymlinks: true })
  const lib = join(native, 'lib')
  for (const name of await readdir(lib)) {
    if ((await lstat(join(lib, name))).isSymbolicLink()) await rm(join(lib, name))
  }
  return { ...source, native }
}

it('makes a runnable copy of the package even if its install script did not run', async () => {
  const source = await packageWithoutLinks()
  const copy = join(await newFolder(), '18')
  await installCopy(source, copy)
  expect(await version(copy)).toContain(`(PostgreSQL) ${source.major}.`)
})

it('makes a copy that survives the package and is readable by every account, whatever the umask', async () => {
  const source = await packageWithoutLinks()
  await chmod(join(source.native, 'bin/postgres'), 0o700)
  const copy = join(await newFolder(), '18')
  await installCopy(source, copy)
  await rm(source.native, { recursive: true })
  expect((await lstat(join(copy, 'bin/postgres'))).mode & 0o777).toBe(0o755)
  expect(await version(copy)).toContain(`(PostgreSQL) ${source.major}.`)
})

it('replaces a copy of another version completely and keeps one of the same version', async () => {
  const source = await findPackage()
  const copy = join(await newFolder(), '18')
  await mkdir(copy)
  await writeFile(join(copy, 'version'), '18.0.0')
  await writeFile(join(copy, 'old'), '')
  await installCopy(source, copy)
  expect(await readdir(copy)).not.toContain('old')
  expect(await readFile(join(copy, 'version'), 'utf8')).toBe(source.version)
  await writeFile(join(copy, 'mark'), '')
  await installCopy(source, copy)
  expect(await readdir(copy)).toContain('mark')
})

it('makes copies concurrently without interference', async () => {
  const source = await findPackage()
  const copy = join(await newFolder(), '18')
  await installCopy(source, copy)
  await writeFile(join(copy, 'version'), '18.0.0')
  await Promise.allSettled([installCopy(source, copy), installCopy(source, copy)])
  expect(await version(copy)).toContain(`(PostgreSQL) ${source.major}.`)
  expect(await readFile(join(copy, 'version'), 'utf8')).toBe(source.version)
})

it('removes an incomplete copy after a failure', async () => {
  const source = await packageWithoutLinks()
  await rm(join(source.native, 'pg-symlinks.json'))
  const folder = await newFolder()
  await expect(installCopy(source, join(folder, '18'))).rejects.toThrow('ENOENT')
  expect(await readdir(folder)).toEqual([])
})
