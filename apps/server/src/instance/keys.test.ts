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

describe('instance keys', () => {
  it('creates instance keys once for nodes that start together, and keeps them', async () => {
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

  it('generates matching key pairs and a 32-byte public statement key', async () => {
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

  it('stores no private key in the clear', async () => {
    const { sshHostPem } = await load()
    const rows = await scratch.database.system().selectFrom('instance_keys').select('sealed').execute()
    const stored = rows.map(({ sealed }) => sealed.toString('latin1')).join('')
    expect(stored).not.toContain('PRIVATE KEY')
    expect(stored).not.toContain(sshHostPem.slice(40, 80))
  })

  it('rejects another secret key and names the setting', async () => {
    const other = new SecretKey(randomBytes(32).toString('hex'))
    await expect(loadInstanceKeys(scratch.database.system(), other)).rejects.toThrow('BOWLINE_SECRET_KEY')
  })

  it('derives a different secret for each purpose', async () => {
    const keys = await load()
    expect(keys.derive('a')).toMatch(/^[0-9a-f]{64}$/)
    expect(keys.derive('a')).not.toBe(keys.derive('b'))
  })
})

describe('isSetupSign', () => {
  it('accepts the set-up signature in its exact form only', async () => {
    const keys = await load()
    const { setupSign } = keys
    expect(isSetupSign(keys, setupSign)).toBe(true)
    for (const wrong of ['', setupSign.slice(1), `${setupSign}0`, setupSign.toUpperCase(), 'é'.repeat(32)]) {
      expect(isSetupSign(keys, wrong)).toBe(false)
    }
  })
})
