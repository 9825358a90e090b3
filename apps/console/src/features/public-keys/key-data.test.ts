import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeKeyLine, lineFingerprint } from './key-data.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-key-data-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the fingerprint of a registered key', () => {
  it.each(['ed25519', 'ecdsa', 'rsa'])(
    'matches the fingerprint of ssh-keygen -l for a key of type %s',
    async (type) => {
      const file = join(folder, type)
      execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', 'ada at work', '-f', file])
      const listed = execFileSync('ssh-keygen', ['-l', '-f', `${file}.pub`], { encoding: 'utf8' }).split(' ')[1]
      expect(await lineFingerprint(encodeKeyLine(readFileSync(`${file}.pub`, 'utf8').trim()))).toBe(listed)
    },
  )

  it('has no fingerprint for text that is not a key', async () => {
    expect(await lineFingerprint('?')).toBe(undefined)
    expect(await lineFingerprint(encodeKeyLine('ssh-ed25519 ***'))).toBe(undefined)
  })
})
