import { randomBytes, sign, verify } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { isSetupSign, loadInstanceKeys } from './keys.ts'

let scratch: TestDatabase
beforeAll(async () => {
  scratch = await testDatabase()
})
afterAll(() => scratch.close())

const secret = new SecretKey(randomBytes(32).toString('hex'))
const load = () => loadInstanceKeys(scratch.database.system(), secret)

describe('the keys of an instance', () => {
  it('are made once, however many nodes start at once, and stay', async () => {
    const nodes = await Promise.all(Array.from({ length: 4 }, load))
    const [first, ...others] = nodes
    const later = await load()
    for (const node of [...others, later]) {
      expect(node.setupSign).toBe(first?.setupSign)
      expect(node.sshHostPem).toBe(first?.sshHostPem)
      expect(node.olderSshHostPem).toBe(first?.olderSshHostPem)
      expect(node.statement.publicRaw).toBe(first?.statement.publicRaw)
      expect(node.derive('x')).toBe(first?.derive('x'))
    }
    const { length } = await scratch.database.system().selectFrom('instance_keys').selectAll().execute()
    expect(length).toBe(5)
  })

  it('fit together, and the public statement key is 32 bytes', async () => {
    const { token, statement } = await load()
    const text = Buffer.from('text')
    expect(verify('sha256', text, token.publicKey, sign('sha256', text, token.privateKey))).toBe(true)
    const spki = Buffer.concat([
      Buffer.from('302a300506032b6570032100', 'hex'),
      Buffer.from(statement.publicRaw, 'base64url'),
    ])
    expect(verify(null, text, { key: spki, format: 'der', type: 'spki' }, sign(null, text, statement.privateKey))).toBe(
      true,
    )
  })

  it('are not in the database in the clear', async () => {
    const { sshHostPem } = await load()
    const rows = await scratch.database.system().selectFrom('instance_keys').select('sealed').execute()
    const stored = rows.map(({ sealed }) => sealed.toString('latin1')).join('')
    expect(stored).not.toContain('PRIVATE KEY')
    expect(stored).not.toContain(sshHostPem.slice(40, 80))
  })

  it('do not open with another secret key, and the error names the setting', async () => {
    const other = new SecretKey(randomBytes(32).toString('hex'))
    await expect(loadInstanceKeys(scratch.database.system(), other)).rejects.toThrow('BOWLINE_SECRET_KEY')
  })

  it('give each purpose a secret of its own', async () => {
    const keys = await load()
    expect(keys.derive('a')).toMatch(/^[0-9a-f]{64}$/)
    expect(keys.derive('a')).not.toBe(keys.derive('b'))
  })
})

describe('the signature of the set-up link', () => {
  it('is taken as it is and in no other form', async () => {
    const keys = await load()
    const { setupSign } = keys
    expect(isSetupSign(keys, setupSign)).toBe(true)
    for (const wrong of ['', setupSign.slice(1), `${setupSign}0`, setupSign.toUpperCase(), 'é'.repeat(32)]) {
      expect(isSetupSign(keys, wrong)).toBe(false)
    }
  })
})
