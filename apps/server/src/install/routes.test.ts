// Routes for a new device: the script with this server's address in it, and the bundle that it requests.
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@bowline/base/clock'
import { createHttpServer } from '../http/server.ts'
import { silentLog } from '../platform/log.ts'
import { Bundles } from './bundles.ts'
import { serveInstall } from './routes.ts'

const tenantId = '11111111-1111-4111-8111-111111111111'
const BUNDLE = 'the bundle of the agent'

let folder: string
let server: FastifyInstance
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-install-'))
  await mkdir(join(folder, 'bundles'))
  await writeFile(join(folder, 'bundles', 'bundle-linux-x64.tar.gz'), BUNDLE)
  server = await createHttpServer({
    isKnownHost: () => true,
    clock: systemClock,
    log: silentLog,
    authenticator: { admit: (_, base) => Promise.resolve(base) },
    routes: [],
    trustedProxies: ['127.0.0.1'],
  })
  serveInstall(server, {
    bundles: new Bundles({ bundles: join(folder, 'bundles'), maker: join(folder, 'no-maker') }, systemClock, silentLog),
    manifests: { read: () => Promise.resolve({ reason: 'none' }) },
    pin: `sha256//${'A'.repeat(43)}=`,
  })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers })

describe('install script', () => {
  it.each(['/install.sh', '/kickstart.sh'])(
    'serves a shell script with the requested server address: %s',
    async (path) => {
      const response = await get(`${path}?tenant_id=${tenantId}`, { host: 'ssh.example.org:8080' })
      expect(response.statusCode).toBe(200)
      expect(response.headers).toMatchObject({
        'content-type': 'text/x-shellscript; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
      expect(response.body).toContain("default_server='http://ssh.example.org:8080'\n")
      expect(response.body).toContain(`default_tenant='${tenantId}'\n`)
      expect(response.body).toContain(`default_pin='sha256//${'A'.repeat(43)}='\n`)
      expect(spawnSync('sh', ['-n'], { input: response.body }).status).toBe(0)
    },
  )

  it('uses the public address that a trusted proxy forwards', async () => {
    const headers = { 'x-forwarded-host': 'public.example.org', 'x-forwarded-proto': 'https' }
    const { body } = await get('/install.sh', headers)
    expect(body).toContain("default_server='https://public.example.org'\n")
    expect(body).toContain("default_tenant=''\n")
  })

  it('applies query defaults to the install script and rejects invalid ones', async () => {
    const { body } = await get("/install.sh?preferred_hostname=it's&preferred_identity=a&keepalive_interval=30")
    expect(body).toContain(String.raw`default_hostname='it'\''s'`)
    expect(body).toContain("default_identity='a'\ndefault_keepalive='30'\n")
    expect((await get('/install.sh?keepalive_interval=1x')).statusCode).toBe(400)
  })

  it.each(["x'$(id)'", 'x`id`', '$(id).example.org'])('quotes a hostile Host header: %s', async (host) => {
    const { body } = await get('/install.sh', { host })
    const head = body.slice(0, body.indexOf('fail()'))
    const run = spawnSync('sh', ['-c', `${head}\nprintf %s "$SERVER_ADDRESS"`], { encoding: 'utf8', env: {} })
    expect([run.status, run.stdout]).toEqual([0, `http://${host}`])
  })

  it.each(['x', "'; id; '", `${tenantId}x`])('rejects an invalid tenant id: %s', async (tenant) => {
    const response = await get(`/install.sh?tenant_id=${encodeURIComponent(tenant)}`)
    expect([response.statusCode, response.json()]).toMatchObject([400, { fields: ['tenant_id'] }])
  })
})

describe('agent files', () => {
  it('serves bundles of the architectures that were built', async () => {
    const response = await get('/agent/bundle-linux-x64.tar.gz')
    expect([response.statusCode, response.headers['content-type'], response.body]).toEqual([
      200,
      'application/gzip',
      BUNDLE,
    ])
    const missing = await get('/agent/bundle-linux-arm64.tar.gz')
    expect([missing.statusCode, missing.json()]).toMatchObject([
      404,
      { message: 'There is no agent for linux-arm64 here: it is not part of this server.' },
    ])
  })

  it.each(['/agent/bundle-linux-sparc.tar.gz', '/agent/bundle-linux-..%2fsecret.tar.gz', '/agent/'])(
    'serves no other agent files: %s',
    async (url) => {
      expect([400, 404]).toContain((await get(url)).statusCode)
    },
  )
})
