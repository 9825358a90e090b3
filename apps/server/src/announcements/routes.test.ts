// Announcements over HTTP: public, in the requested order.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, bootServer, outcome } from '../testing/boot.ts'

const { announcements } = operations
let server: BootedServer
let cloud: BootedServer
const uuids: readonly string[] = [randomUUID(), randomUUID(), randomUUID()]
beforeAll(async () => {
  server = await bootServer()
  cloud = await bootServer({ settings: { BOWLINE_EDITION: 'cloud' } })
  for (const { database } of [server, cloud]) {
    const rows = uuids.map((uuid, i) => ({
      uuid,
      title: `No. ${i}`,
      content: `# ${i}`,
      date: new Date(2026, 0, 1 + i),
    }))
    await database.system().insertInto('announcements').values(rows).execute()
  }
})
afterAll(() => Promise.all([server.close(), cloud.close()]))

describe('announcements', () => {
  it('lists announcements by date, newest first by default, paged and without content', async () => {
    const list = async (query: Parameters<typeof server.fetch>[0]) => {
      const response = await server.fetch(`/api/announcements${query}`)
      const items = (await response.json()) as { uuid: string }[]
      return [response.headers.get('x-total-count'), items.map(({ uuid }) => uuids.indexOf(uuid))]
    }
    expect(await list('')).toEqual(['3', [2, 1, 0]])
    expect(await list('?order_by=asc&per_page=2')).toEqual(['3', [0, 1]])
    expect(await list('?page=2&per_page=2')).toEqual(['3', [0]])
    const { body } = await server.client().call(announcements.list, {})
    expect(body.filter((item) => 'content' in item)).toEqual([])
    expect((await server.fetch('/api/announcements?order_by=sideways')).status).toBe(400)
  })

  it('returns one announcement by uuid, and 404 for an unknown uuid', async () => {
    const [uuid = ''] = uuids
    const { body } = await server.client().call(announcements.get, { params: { uuid } })
    expect(body).toMatchObject({ uuid, title: 'No. 0', content: '# 0' })
    for (const other of [randomUUID(), 'nonsense']) {
      const call = server.client().call(announcements.get, { params: { uuid: other } })
      expect(await outcome(call)).toBe('404 NOT_FOUND')
    }
  })

  it('allows cross-origin reads of the hosted announcements, without credentials', async () => {
    const [uuid] = uuids
    const allowedBy = async (on: BootedServer, path: string) => {
      const { headers } = await on.fetch(path, { headers: { origin: 'https://bowline.example.com' } })
      return [headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]
    }
    for (const path of ['/api/announcements', `/api/announcements/${uuid}`]) {
      expect(await allowedBy(cloud, path)).toEqual(['*', null])
      expect(await allowedBy(server, path)).toEqual([null, null])
    }
    expect(await allowedBy(cloud, '/info')).toEqual([null, null])
  })
})
