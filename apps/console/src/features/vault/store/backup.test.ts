import { describe, expect, it } from 'vitest'
import { readBackup, writeBackup } from './backup.ts'
import { randomBytes } from './sealing.ts'

const OF = { origin: 'https://bowline.example.com', person: 'ada' }
const bytes = { salt: randomBytes(32), iv: randomBytes(12), wrapped: randomBytes(48) }
const header = {
  version: 1,
  person: OF.person,
  id: 'v1',
  idleMinutes: 15,
  ways: [{ kind: 'passphrase', id: 'w1', iterations: 1_000_000, ...bytes }],
} as const
const sealed = { iv: randomBytes(12), sealed: randomBytes(80) }
const key = { person: OF.person, id: 'k1', vault: 'v1', name: 'laptop', publicKey: 'AAAA', added: 1, ...sealed }
const backup = { origin: OF.origin, header: { ...header, ways: [...header.ways] }, keys: [key] }
const text = writeBackup(backup)

describe('a backup of keys', () => {
  it('has what was stored, byte by byte', () => {
    expect(readBackup(text, OF)).toEqual({ format: 'bowline-keys', ...backup })
  })

  it.each([
    ['another person', { ...OF, person: 'bob' }],
    ['another server', { ...OF, origin: 'https://elsewhere.example.com' }],
  ])('is refused to %s', (_, of) => {
    expect(() => readBackup(text, of)).toThrow(expect.objectContaining({ reason: 'of-another' }))
  })

  it('of another version is told apart from other files', () => {
    const later = text.replace('"version": 1', '"version": 2')
    expect(() => readBackup(later, OF)).toThrow(expect.objectContaining({ reason: 'backup-version' }))
  })

  it.each([
    ['no JSON', 'ssh-ed25519 AAAA'],
    ['null', 'null'],
    ['other JSON', '{"keys":[]}'],
    ['fewer iterations than are safe', text.replace('1000000', '1000')],
    ['bytes that are none', text.replace(/"base64url": "[^"]+"/, '"base64url": "§"')],
    ['a key of another store', writeBackup({ ...backup, keys: [{ ...key, vault: 'v2' }] })],
    ['a key of another person', writeBackup({ ...backup, keys: [{ ...key, person: 'bob' }] })],
  ])('with %s is refused', (_, content) => {
    expect(() => readBackup(content, OF)).toThrow(expect.objectContaining({ reason: 'no-backup' }))
  })
})
