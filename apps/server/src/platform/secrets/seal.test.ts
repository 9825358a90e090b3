import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { SecretKey, secretKeyFromFile } from './seal.ts'

const key = new SecretKey('0f'.repeat(32))
/** By the key's id, or by the cipher. */
const REFUSED = /sealed with another secret key|authenticate|authentication tag|initialization vector/i
const sealed = () => key.seal('token-rsa', Buffer.from('the private key'))

describe('a sealed secret', () => {
  it('opens with its key and its name', () => {
    expect(key.open('token-rsa', sealed()).toString()).toBe('the private key')
    expect(key.open('empty', key.seal('empty', Buffer.alloc(0)))).toHaveLength(0)
  })

  it('is another text each time', () => {
    expect(sealed()).not.toEqual(sealed())
    expect(sealed().toString('latin1')).not.toContain('private')
  })

  it('does not open under another name', () => {
    expect(() => key.open('ssh-host', sealed())).toThrow(/authenticate/)
  })

  it('does not open with another key, and the error names what to look at', () => {
    const other = new SecretKey('f0'.repeat(32))
    expect(() => other.open('token-rsa', sealed())).toThrow(/'token-rsa' .*BOWLINE_SECRET_KEY or secret\.key/)
  })

  it('does not open when any byte of it was changed or it was cut off', () => {
    const whole = sealed()
    for (let i = 0; i < whole.length; i += 1) {
      const changed = Buffer.from(whole)
      changed.writeUInt8(whole.readUInt8(i) ^ 1, i)
      expect(() => key.open('token-rsa', changed)).toThrow(REFUSED)
      expect(() => key.open('token-rsa', whole.subarray(0, i))).toThrow(REFUSED)
    }
  })
})

describe('a secret key', () => {
  it.each(['', '0f', `${'0f'.repeat(32)}0`, '0f'.repeat(33), 'zz'.repeat(32), `${'0f'.repeat(31)}\n0f`])(
    'is 64 hex digits and nothing else: %j',
    (hex) => {
      expect(() => new SecretKey(hex)).toThrow('64 hex digits')
    },
  )

  it('never shows itself', () => {
    expect(JSON.stringify({ key })).toBe('{"key":"[secret]"}')
    expect(Object.keys(key)).toEqual([])
  })
})

describe('the key file', () => {
  const folders: string[] = []
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
  })
  async function newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'bowline-seal-'))
    folders.push(folder)
    return folder
  }

  it('is made once, whole, and for its owner only', async () => {
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

  it('that others could read is closed to them', async () => {
    const path = join(await newFolder(), 'secret.key')
    await writeFile(path, '0f'.repeat(32), { mode: 0o644 })
    const read = await secretKeyFromFile(path)
    expect(read.open('token-rsa', sealed()).toString()).toBe('the private key')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('with something else in it is named', async () => {
    const path = join(await newFolder(), 'secret.key')
    await writeFile(path, 'oops')
    await expect(secretKeyFromFile(path)).rejects.toThrow(`${path} is not a key file`)
    expect(await readFile(path, 'utf8')).toBe('oops')
  })

  it('cannot be made where no file can be', async () => {
    const path = join(await newFolder(), 'secret.key')
    await mkdir(path)
    await expect(secretKeyFromFile(path)).rejects.toThrow('EISDIR')
  })
})
