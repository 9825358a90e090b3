// What a release's packages say about their source.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sourceFacts } from './release-packages.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-source-'))
  writeFileSync(join(folder, 'package.json'), '{}')
  for (const name of ['DEBFULLNAME', 'DEBEMAIL', 'SOURCE_DATE_EPOCH']) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

it('names the author of the commit as the maintainer, and the commit’s time', () => {
  const author = { GIT_AUTHOR_NAME: 'Olga Operator', GIT_AUTHOR_EMAIL: 'olga@example.com' }
  const committer = { GIT_COMMITTER_NAME: 'c', GIT_COMMITTER_EMAIL: 'c@example.com' }
  const env = { ...process.env, ...author, ...committer, GIT_COMMITTER_DATE: '1700000000 +0000' }
  execFileSync('git', ['init', '--quiet'], { cwd: folder, env })
  execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message', 'one'], { cwd: folder, env })
  expect(sourceFacts(folder)).toMatchObject({ maintainer: 'Olga Operator <olga@example.com>', epoch: 1_700_000_000 })
})

it('takes the names and the time that Debian’s own tools take', () => {
  vi.stubEnv('DEBFULLNAME', 'Petra Packager')
  vi.stubEnv('DEBEMAIL', 'petra@example.com')
  vi.stubEnv('SOURCE_DATE_EPOCH', '1600000000')
  expect(sourceFacts(folder)).toMatchObject({ maintainer: 'Petra Packager <petra@example.com>', epoch: 1_600_000_000 })
})
