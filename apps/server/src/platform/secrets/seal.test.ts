import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { SecretKey, secretKeyFromFile } from './seal.ts'

const key = new SecretKey('0f'.repeat(32))
/** Rejected by the key's id or by the cipher. */
const REFUSED = /sealed with another secret key|authenticate|authentication tag|initialization vector/i
const sealed = () => key.seal('token-rsa', Buffer.from('the private key'))

describe('sealed secrets', () => {
  it('opens a sealed secret with its key and name', () => {
    expect(key.open('token-rsa', sealed()).toString()).toBe('the private key')
    expect(key.open('empty', key.seal('empty', Buffer.alloc(0)))).toHaveLength(0)
  })

  it('seals to a different text each time', () => {
    expect(sealed()).not.toEqual(sealed())
    expect(sealed().toString('latin1')).not.toContain('private')
  })

  it('rejects a sealed secret under another name', () => {
    expect(() => key.open('ssh-host', sealed())).toThrow(/authenticate/)
  })

  it('rejects another key and names the setting to check', () => {
    const other = new SecretKey('f0'.repeat(32))
    expect(() => other.open('token-rsa', sealed())).toThrow(/'token-rsa' .*BOWLINE_SECRET_KEY or secret\.key/)
  })

  it('rejects a modified or truncated sealed secret', () => {
    const whole = sealed()
    for (let i = 0; i < whole.length; i += 1) {
      const changed = Buffer.from(whole)
      changed.writeUInt8(whole.readUInt8(i) ^ 1, i)
      expect(() => key.open('token-rsa', changed)).toThrow(REFUSED)
      expect(() => key.open('token-rsa', whole.subarray(0, i))).toThrow(REFUSED)
    }
  })
})

describe('SecretKey', () => {
  it.each(['', '0f', `${'0f'.repeat(32)}0`, '0f'.repeat(33), 'zz'.repeat(32), `${'0f'.repeat(31)}\n0f`])(
    'rejects a key that is not 64 hex digits: %j',
    (hex) => {
      expect(() => new SecretKey(hex)).toThrow('64 hex digits')
    },
  )

  it('hides the key from JSON and from its properties', () => {
    expect(JSON.stringify({ key })).toBe('{"key":"[secret]"}')
    expect(Object.keys(key)).toEqual([])
  })
})

describe('key file', () => {
  const folders: string[] = []
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
  })
  async function newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'bowline-seal-'))
    folders.push(folder)
    return folder
  }

  it('creates the key file once and atomically, readable by its owner only', async () => {
    const folder = await newFolder()
    const path = join(folder, 'data', 'secret.key')
    const keys = await Promise.all(Array.from({ length: 5 }, () => secretKeyFromFile(path)))
    const [first] = keys
    for (const one of keys)
      expect(one.open('x', first?.seal('x', Buffer.from('same')) ?? Buffer.alloc(0))).toBeDefined()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(folder, 'data'))).toEqual(['secret.key'])
    expect(await readFile(path, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  })

  it('restricts the mode of a key file that others could read', async () => {
    const path = join(await newFolder(), 'secret.key')
    await writeFile(path, '0f'.repeat(32), { mode: 0o644 })
    const read = await secretKeyFromFile(path)
    expect(read.open('token-rsa', sealed()).toString()).toBe('the private key')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('names a key file with invalid content and keeps it', async () => {
    const path = join(await newFolder(), 'secret.key')
    await writeFile(path, 'oops')
    await expect(secretKeyFromFile(path)).rejects.toThrow(`${path} is not a key file`)
    expect(await readFile(path, 'utf8')).toBe('oops')
  })

  it('fails when a folder has the key file’s path', async () => {
    const path = join(await newFolder(), 'secret.key')
    await mkdir(path)
    await expect(secretKeyFromFile(path)).rejects.toThrow('EISDIR')
  })
})
