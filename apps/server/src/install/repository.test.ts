// The apt repository beside the agents, as apt asks for it; e2e/service/apt-repository.test.ts installs from one.
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '@bowline/base/clock'
import { createHttpServer } from '../http/server.ts'
import { serveStatic } from '../http/files/static.ts'
import { silentLog } from '../platform/log.ts'
import { serveRepository } from './repository.ts'

const FILES = {
  'agents/secret': 'not of the repository',
  'agents/apt/bowline.asc': 'the key',
  'agents/apt/.hidden': 'not of the repository',
  'agents/apt/dists/stable/InRelease': 'the signed index of indexes',
  'agents/apt/dists/stable/main/binary-amd64/Packages': 'the index',
  'agents/apt/dists/stable/main/binary-amd64/Packages.gz': 'the compressed index',
  'agents/apt/pool/main/bowline-agent_1.0.0~rc.1_amd64.deb': 'the package',
}
const INDEX = '/apt/dists/stable/main/binary-amd64/Packages'

let folder: string
let server: FastifyInstance
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-apt-'))
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  server = await createHttpServer({
    isKnownHost: () => true,
    clock: systemClock,
    log: silentLog,
    authenticator: { admit: (_, base) => Promise.resolve(base) },
    routes: [],
    trustedProxies: [],
  })
  await serveRepository(server, join(folder, 'agents/apt'))
  await serveStatic(server, { console: join(folder, 'console'), docs: join(folder, 'docs') })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers })

it('serves the files of the repository as they are', async () => {
  const paths = Object.keys(FILES).filter((name) => /^agents.apt.[a-z]/.test(name))
  expect(paths).toHaveLength(5)
  for (const name of paths) {
    const { statusCode, body, headers } = await get(name.replace('agents', ''), { 'accept-encoding': 'gzip, br' })
    expect([statusCode, body]).toEqual([200, FILES[name as keyof typeof FILES]])
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
    expect(headers['content-encoding']).toBe(undefined)
  }
  // apt escapes `~` in addresses.
  expect((await get('/apt/pool/main/bowline-agent_1.0.0%7erc.1_amd64.deb')).body).toBe('the package')
})

it('answers apt’s questions for what has changed and for the rest of a file', async () => {
  const { headers } = await get(INDEX)
  const since = String(headers['last-modified'])
  expect((await get(INDEX, { 'if-modified-since': since })).statusCode).toBe(304)
  const rest = await get(INDEX, { range: 'bytes=4-', 'if-range': since })
  expect([rest.statusCode, rest.body]).toEqual([206, 'index'])
  const earlier = 'Mon, 01 Jan 2001 00:00:00 GMT'
  const whole = await get(INDEX, { range: 'bytes=4-', 'if-range': earlier, 'if-modified-since': earlier })
  expect([whole.statusCode, whole.body]).toEqual([200, 'the index'])
})

it.each([
  '',
  '/',
  '/dists',
  '/dists/stable/',
  '/.hidden',
  '/../secret',
  '/%2e%2e/secret',
  '/..%2fsecret',
  '/none',
  '/%00',
])('has no file of another path: /apt%s', async (path) => {
  const { statusCode, body } = await get(`/apt${path}`)
  expect([404, 422]).toContain(statusCode)
  expect(body).not.toContain('not of the repository')
})

it('serves a repository that appears while it runs', async () => {
  const [there, away] = [join(folder, 'agents/apt'), join(folder, 'agents/away')]
  await rename(there, away)
  expect((await get(INDEX)).statusCode).toBe(404)
  await rename(away, there)
  expect((await get(INDEX)).statusCode).toBe(200)
})
