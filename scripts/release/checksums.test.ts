import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeChecksums } from './checksums.ts'

let target: string
let archives: string[]
beforeEach(() => {
  target = mkdtempSync(join(tmpdir(), 'bowline-checksums-'))
  archives = ['bowline-1.0.0-linux-x64.tar.gz', 'bowline-1.0.0-linux-arm64.tar.gz'].map((name) => join(target, name))
  for (const file of archives) writeFileSync(file, `the bytes of ${file}`)
})
afterEach(() => rmSync(target, { recursive: true }))

function newKey(algorithm: string): { key: string; publicKey: string } {
  const [key, publicKey] = [join(target, 'release.pem'), join(target, 'release.pub')]
  execFileSync('openssl', ['genpkey', '-algorithm', algorithm, '-out', key], { stdio: 'pipe' })
  execFileSync('openssl', ['pkey', '-in', key, '-pubout', '-out', publicKey])
  return { key, publicKey }
}

/** Verifies as the documentation describes. */
function verifies(publicKey: string, name: string): boolean {
  const files = ['-in', join(target, name), '-sigfile', join(target, `${name}.sig`)]
  const { status } = spawnSync('openssl', ['pkeyutl', '-verify', '-pubin', '-inkey', publicKey, '-rawin', ...files])
  return status === 0
}

describe('the checksums of a release', () => {
  it('writes checksums that sha256sum accepts', () => {
    writeChecksums({ target, archives, agents: archives.slice(1), key: undefined })
    for (const name of ['SHA256SUMS', 'SHA256SUMS.agents']) {
      expect(spawnSync('sha256sum', ['--check', '--strict', name], { cwd: target }).status).toBe(0)
      expect(existsSync(join(target, `${name}.sig`))).toBe(false)
    }
    expect(readFileSync(join(target, 'SHA256SUMS.agents'), 'utf8').split('\n')).toHaveLength(2)
  })

  it('signs checksums so that openssl verifies them and detects a changed line', () => {
    const { key, publicKey } = newKey('ed25519')
    writeChecksums({ target, archives, agents: archives, key })
    expect(['SHA256SUMS', 'SHA256SUMS.agents'].map((name) => verifies(publicKey, name))).toEqual([true, true])
    const sums = join(target, 'SHA256SUMS')
    writeFileSync(
      sums,
      readFileSync(sums, 'utf8').replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
    )
    expect(verifies(publicKey, 'SHA256SUMS')).toBe(false)
  })

  it('writes no checksums when the key has another type', () => {
    const { key } = newKey('x25519')
    expect(() => writeChecksums({ target, archives, agents: [], key })).toThrow('no Ed25519 key')
    expect(existsSync(join(target, 'SHA256SUMS'))).toBe(false)
  })
})
