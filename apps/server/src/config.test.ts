// Files, keys, certificates and address ranges derived from the server's settings.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@bowline/contract/config'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-config-'))
})
afterEach(() => rm(folder, { recursive: true }))

const read = (env: Record<string, string> = {}) => readConfig({ BOWLINE_DATA_DIR: folder, ...env })
const problemsOf = (env: Record<string, string>) =>
  read(env).then(
    () => [],
    (error: unknown) => {
      if (error instanceof ConfigError) return error.problems
      throw error
    },
  )

describe('configuration', () => {
  it('needs no setting on loopback: serves plain HTTP and creates its key', async () => {
    const { tls, pin, dataFolder } = await read()
    expect([tls, pin, dataFolder]).toEqual([undefined, '', folder])
    expect((await stat(join(folder, 'secret.key'))).mode & 0o777).toBe(0o600)
  })

  it('creates a self-signed certificate with a stable pin for a public server', async () => {
    const first = await read({ BOWLINE_HOST: '0.0.0.0', BOWLINE_DOMAIN: 'ssh.example.org' })
    expect(first.tls?.cert).toMatch(/^-----BEGIN CERTIFICATE-----/)
    expect(first.pin).toMatch(/^sha256\/\//)
    const second = await read({ BOWLINE_HOST: '0.0.0.0', BOWLINE_DOMAIN: 'ssh.example.org' })
    expect(second.pin).toBe(first.pin)
  })

  it('leaves TLS to trusted proxies', async () => {
    const { tls, isTrustedProxy } = await read({ BOWLINE_HOST: '0.0.0.0', BOWLINE_TRUSTED_PROXIES: '10.0.0.0/8' })
    expect([tls, isTrustedProxy('10.1.2.3'), isTrustedProxy('11.1.2.3')]).toEqual([undefined, true, false])
  })

  it.each(['tunnels.example.org', 'ssh.tunnels.example.org', 'TUNNELS.example.org'])(
    'refuses %s as the server’s name with tunnels below tunnels.example.org',
    async (name) => {
      const settings = { BOWLINE_TUNNELS_DOMAIN: 'tunnels.example.org', BOWLINE_DOMAIN: name }
      expect(await problemsOf(settings)).toEqual([expect.stringContaining('BOWLINE_TUNNELS_DOMAIN')])
    },
  )

  it('refuses a port of TCP tunnels without a domain', async () => {
    const refusal = ['BOWLINE_TUNNELS_TLS_PORT needs BOWLINE_TUNNELS_DOMAIN.']
    expect(await problemsOf({ BOWLINE_TUNNELS_TLS_PORT: '8443' })).toEqual(refusal)
  })

  it('takes the settings of the payment provider together, in the cloud edition', async () => {
    const key = { BOWLINE_STRIPE_SECRET_KEY: 'sk_test_0123456789' }
    const whole = { ...key, BOWLINE_STRIPE_WEBHOOK_SECRET: 'whsec_0123456789', BOWLINE_STRIPE_PRICE_ID: 'price_01' }
    expect(await problemsOf(whole)).toEqual([expect.stringContaining('needs BOWLINE_EDITION=cloud')])
    expect(await problemsOf({ ...key, BOWLINE_EDITION: 'cloud' })).toEqual([
      expect.stringContaining('belong together: one of them is missing'),
    ])
    expect(await read({ ...whole, BOWLINE_EDITION: 'cloud' })).toMatchObject({ stripe: { priceId: 'price_01' } })
    expect((await read({ BOWLINE_EDITION: 'cloud' })).stripe).toBeUndefined()
  })

  it('uses the operator’s certificate, without a pin', async () => {
    await writeFile(join(folder, 'cert'), 'a certificate')
    await writeFile(join(folder, 'key'), 'a key')
    const files = { BOWLINE_TLS_CERT_FILE: join(folder, 'cert'), BOWLINE_TLS_KEY_FILE: join(folder, 'key') }
    expect(await read({ BOWLINE_HOST: '0.0.0.0', ...files })).toMatchObject({
      tls: { cert: 'a certificate', key: 'a key' },
      pin: '',
    })
  })

  it('names the missing or unreadable TLS file', async () => {
    expect(await problemsOf({ BOWLINE_TLS_CERT_FILE: join(folder, 'cert') })).toEqual([
      'BOWLINE_TLS_CERT_FILE and BOWLINE_TLS_KEY_FILE are needed together.',
    ])
    await writeFile(join(folder, 'cert'), 'a certificate')
    const files = { BOWLINE_TLS_CERT_FILE: join(folder, 'cert'), BOWLINE_TLS_KEY_FILE: join(folder, 'gone') }
    expect(await problemsOf(files)).toEqual([`BOWLINE_TLS_KEY_FILE: ${join(folder, 'gone')} cannot be read (ENOENT).`])
  })

  it.each(['BOWLINE_TRUSTED_PROXIES', 'BOWLINE_UNCOUNTED_SOURCES'])('names the invalid range in %s', async (name) => {
    expect(await problemsOf({ [name]: '10.0.0.0/8,10.0.0.0/' })).toEqual([
      `${name}: '10.0.0.0/' is not an address or a range such as 10.0.0.0/8.`,
    ])
  })

  it('requires complete S3 settings and reads the secret from a file', async () => {
    const [secret, empty] = [join(folder, 's3'), join(folder, 'empty')]
    await writeFile(secret, ' from a file\n')
    await writeFile(empty, '\n')
    const endpoint = { BOWLINE_S3_ENDPOINT: 'https://s3.example.org/' }
    const key = { BOWLINE_S3_BUCKET: 'recordings', BOWLINE_S3_ACCESS_KEY_ID: 'id' }
    const store = { ...endpoint, ...key, BOWLINE_S3_SECRET_ACCESS_KEY_FILE: secret }
    const { objectStore } = await read({ ...store, BOWLINE_S3_PREFIX: 'of/bowline' })
    expect(objectStore).toMatchObject({
      prefix: 'of/bowline/',
      credentials: { accessKeyId: 'id', secretAccessKey: 'from a file' },
      pathStyle: true,
    })
    expect(objectStore?.endpoint.origin).toBe('https://s3.example.org')
    expect((await read()).objectStore).toBeUndefined()
    const [inline, file] = ['BOWLINE_S3_SECRET_ACCESS_KEY', 'BOWLINE_S3_SECRET_ACCESS_KEY_FILE']
    expect(await problemsOf(endpoint)).toEqual(['BOWLINE_S3_BUCKET is required together with BOWLINE_S3_ENDPOINT.'])
    expect(await problemsOf({ ...endpoint, ...key })).toEqual([
      `${inline} or ${file} is required together with BOWLINE_S3_ACCESS_KEY_ID.`,
    ])
    const bucket = { BOWLINE_S3_BUCKET: 'recordings' }
    expect(await problemsOf({ ...endpoint, ...bucket, [inline]: 'x' })).toEqual([
      `${inline} needs BOWLINE_S3_ACCESS_KEY_ID.`,
    ])
    expect((await read({ ...endpoint, ...bucket })).objectStore?.credentials).toBeUndefined()
    expect(await problemsOf({ ...store, [inline]: 'x' })).toEqual([`${inline} and ${file} exclude each other.`])
    expect(await problemsOf({ ...store, [file]: empty })).toEqual([`${file}: ${empty} is empty.`])
    expect(await problemsOf({ ...store, [file]: folder })).toEqual([`${file}: ${folder} cannot be read (EISDIR).`])
    expect(await problemsOf(key)).toEqual(Object.keys(key).map((name) => `${name} needs BOWLINE_S3_ENDPOINT.`))
  })

  it.each([
    ['BOWLINE_S3_ENDPOINT', 'https://user:pw@s3.example.org'],
    ['BOWLINE_S3_ENDPOINT', 'https://s3.example.org/bucket'],
    ['BOWLINE_S3_BUCKET', '../other'],
    ['BOWLINE_S3_PREFIX', 'a/../b'],
    ['BOWLINE_S3_PREFIX', '/a'],
    ['BOWLINE_S3_PREFIX', 'a b'],
    ['BOWLINE_S3_REGION', 'eu central'],
    ['BOWLINE_S3_PATH_STYLE', 'yes'],
  ])('refuses the S3 setting %s=%s', async (name, value) => {
    expect(await problemsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
  })

  it('requires the shared secret key with an external database', async () => {
    const database = { BOWLINE_DATABASE_URL: 'postgres://localhost/bowline' }
    expect(await problemsOf(database)).toEqual(['BOWLINE_SECRET_KEY is required together with BOWLINE_DATABASE_URL.'])
    const { secretKey } = await read({ ...database, BOWLINE_SECRET_KEY: '0F'.repeat(32) })
    expect(secretKey.open('x', secretKey.seal('x', Buffer.from('text'))).toString()).toBe('text')
    await expect(readFile(join(folder, 'secret.key'))).rejects.toThrow('ENOENT')
  })

  it('requires that every node of several can play every recording', async () => {
    const node = {
      BOWLINE_DATABASE_URL: 'postgres://localhost/bowline',
      BOWLINE_SECRET_KEY: '0f'.repeat(32),
      BOWLINE_NODE_ADDRESS: '10.0.0.11:4430',
    }
    expect(await problemsOf(node)).toEqual([
      'BOWLINE_NODE_ADDRESS needs BOWLINE_S3_ENDPOINT, or BOWLINE_RECORDINGS_DIR with a folder that all nodes share: every node must be able to play a recording.',
    ])
    const shared = await read({ ...node, BOWLINE_RECORDINGS_DIR: '/mnt/recordings' })
    expect(shared.recordingsFolder).toBe('/mnt/recordings')
    const store = { BOWLINE_S3_ENDPOINT: 'https://s3.example.com', BOWLINE_S3_BUCKET: 'recordings' }
    expect((await read({ ...node, ...store })).recordingsFolder).toBe(join(folder, 'recordings'))
  })
})
