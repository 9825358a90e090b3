// What a new device fetches: the script with this server's address in it, and the files that it asks for.
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpServer } from '../http/server.ts'
import { systemClock } from '../platform/clock.ts'
import { silentLog } from '../platform/log.ts'
import { serveInstall } from './routes.ts'

const tenantId = '11111111-1111-4111-8111-111111111111'
const BUNDLE = 'the bundle of the agent'
const NODE = 'a node for this architecture'

let folder: string
let server: FastifyInstance
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-install-'))
  for (const name of ['bundles', 'cache']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'bundles', 'bundle-linux-x64.tar.gz'), BUNDLE)
  await writeFile(join(folder, 'node-x64'), NODE)
  server = await createHttpServer({
    clock: systemClock,
    log: silentLog,
    authenticator: { admit: (_, base) => Promise.resolve(base) },
    routes: [],
    trustedProxies: ['127.0.0.1'],
  })
  serveInstall(server, {
    bundles: join(folder, 'bundles'),
    cache: join(folder, 'cache'),
    node: (arch) => join(folder, `node-${arch}`),
    pin: `sha256//${'A'.repeat(43)}=`,
  })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers })

describe('the install script', () => {
  it.each(['/install.sh', '/kickstart.sh'])(
    'is a shell script with the address that it was fetched from: %s',
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

  it('has the public address that a trusted proxy tells', async () => {
    const headers = { 'x-forwarded-host': 'public.example.org', 'x-forwarded-proto': 'https' }
    const { body } = await get('/install.sh', headers)
    expect(body).toContain("default_server='https://public.example.org'\n")
    expect(body).toContain("default_tenant=''\n")
  })

  it.each(["x'$(id)'", 'x`id`', '$(id).example.org'])('takes a hostile host name as text: %s', async (host) => {
    const { body } = await get('/install.sh', { host })
    const head = body.slice(0, body.indexOf('fail()'))
    const run = spawnSync('sh', ['-c', `${head}\nprintf %s "$SERVER_ADDRESS"`], { encoding: 'utf8', env: {} })
    expect([run.status, run.stdout]).toEqual([0, `http://${host}`])
  })

  it.each(['x', "'; id; '", `${tenantId}x`])('is refused for a namespace that is none: %s', async (tenant) => {
    const response = await get(`/install.sh?tenant_id=${encodeURIComponent(tenant)}`)
    expect([response.statusCode, response.json()]).toMatchObject([400, { fields: ['tenant_id'] }])
  })
})

describe('the files of the agent', () => {
  it('are there for the architectures that were built', async () => {
    const response = await get('/agent/bundle-linux-x64.tar.gz')
    expect([response.statusCode, response.headers['content-type'], response.body]).toEqual([
      200,
      'application/gzip',
      BUNDLE,
    ])
    const missing = await get('/agent/bundle-linux-arm64.tar.gz')
    expect([missing.statusCode, missing.json()]).toMatchObject([404, { code: 'NOT_FOUND' }])
  })

  it('have a Node among them, compressed once for many that ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => get('/agent/node-linux-x64.gz')))
    for (const answer of [...answers, await get('/agent/node-linux-x64.gz')]) {
      expect(answer.headers['content-type']).toBe('application/gzip')
      expect(gunzipSync(answer.rawPayload).toString()).toBe(NODE)
    }
    expect((await get('/agent/node-linux-arm64.gz')).statusCode).toBe(404)
  })

  it.each(['/agent/bundle-linux-sparc.tar.gz', '/agent/node-linux-..%2fsecret.gz', '/agent/node-linux-.gz', '/agent/'])(
    'are no others: %s',
    async (url) => {
      expect([400, 404]).toContain((await get(url)).statusCode)
    },
  )
})
