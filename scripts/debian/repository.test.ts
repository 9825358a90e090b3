// An apt repository as gpg and the file system see it; e2e/service/apt-repository.test.ts asks one with apt.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeRepository, repositoryProblem } from './repository.ts'
import { createKeyring, emptyPackage, type Keyring } from './testing.ts'

const [PRESENT, NEXT] = ['present@example.com', 'next@example.com']
const problem = repositoryProblem()
const work = mkdtempSync(join(tmpdir(), 'bowline-repository-'))
const folder = join(work, 'apt')
let keys: Keyring | undefined
beforeAll(() => {
  if (problem === undefined) keys = createKeyring(PRESENT, NEXT)
})
beforeEach(() => void vi.stubEnv('GNUPGHOME', keys?.home))
afterAll(() => {
  vi.unstubAllEnvs()
  keys?.remove()
  rmSync(work, { recursive: true })
})

const made = (version: string, ...signers: readonly string[]): void =>
  makeRepository({ packages: [emptyPackage(work, version, 'amd64')], folder, keys: signers })
const read = (path: string): string => readFileSync(join(folder, path), 'utf8')

describe.skipIf(problem !== undefined)(`an apt repository (${problem ?? 'made here'})`, () => {
  it('lists the packages of each architecture under hashes that are trusted', () => {
    made('1.0.0', PRESENT)
    expect(read('dists/stable/main/binary-amd64/Packages')).toMatch(
      /^Filename: pool\/main\/bowline-agent_1.0.0_amd64.deb$/m,
    )
    expect(read('dists/stable/main/binary-arm64/Packages')).toBe('')
    const release = read('dists/stable/Release')
    expect(release).toMatch(/^Architectures: amd64 arm64$/m)
    const entries = /^SHA256:\n((?: .*\n)+)/m.exec(release)?.[1] ?? ''
    const listed = entries
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/ +/)[2] ?? '')
    expect(listed.sort()).toEqual(
      ['amd64', 'arm64'].flatMap((arch) => [`main/binary-${arch}/Packages`, `main/binary-${arch}/Packages.gz`]),
    )
    expect(`${release}${read('dists/stable/main/binary-amd64/Packages')}`).not.toMatch(/^(MD5Sum|MD5sum|SHA1):/m)
  })

  it('is signed by every key, in both forms, and brings the public ones', () => {
    made('1.0.0', PRESENT, NEXT)
    const ring = join(work, 'ring.gpg')
    execFileSync('gpg', ['--batch', '--yes', '--output', ring, '--dearmor', join(folder, 'bowline.asc')])
    for (const names of [['InRelease'], ['Release.gpg', 'Release']]) {
      const files = names.map((name) => join(folder, 'dists/stable', name))
      const { status, stdout } = spawnSync('gpgv', ['--status-fd', '1', '--keyring', ring, ...files], {
        encoding: 'utf8',
      })
      expect([status, stdout.match(/ GOODSIG .*/g)?.length]).toEqual([0, 2])
    }
    expect(read('bowline.asc')).not.toContain('PRIVATE')
  })

  it('takes the place of an earlier one; a failure leaves that one, a release without a key removes it', () => {
    made('1.0.0', PRESENT)
    made('2.0.0', PRESENT)
    const pool = (): readonly string[] => readdirSync(join(folder, 'pool/main'))
    expect(pool()).toEqual(['bowline-agent_2.0.0_amd64.deb'])
    expect(() => made('3.0.0', PRESENT, 'nobody@example.com')).toThrow('nobody@example.com')
    expect(() => makeRepository({ packages: [], folder, keys: [PRESENT] })).toThrow('dpkg-deb')
    expect([pool(), existsSync(join(folder, 'dists/stable/InRelease'))]).toEqual([
      ['bowline-agent_2.0.0_amd64.deb'],
      true,
    ])
    made('3.0.0')
    expect(readdirSync(work).filter((name) => name.startsWith('apt'))).toEqual([])
  })
})
