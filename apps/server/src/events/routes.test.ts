// The live stream over HTTP, read by fetch chunk by chunk as clients do.
import { operations } from '@bowline/contract/operations'
import { LiveEvent } from '@bowline/contract/schemas/event'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, bootServer, setStatus } from '../testing/boot.ts'

let clock: ManualClock
let server: BootedServer
let ada: Person
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())

interface Received {
  readonly id: string
  /** Event name that readers of server-sent events dispatch on. */
  readonly name: string
  readonly event: LiveEvent
}

/** Opens a stream and reads its events one by one; undefined at its end. */
async function listen(token: string, lastEventId?: string, on: BootedServer = server) {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const response = await on.client(token).open(operations.events.stream, { headers })
  const reader = response.body?.getReader()
  if (!reader) throw new Error('the stream has no body')
  let text = ''
  let ended = false
  const more = async (): Promise<void> => {
    const { value, done } = await reader.read()
    if (done) ended = true
    else text += Buffer.from(value).toString()
  }
  const next = async (): Promise<Received | undefined> => {
    for (;;) {
      const at = text.indexOf('\n\n')
      const block = at < 0 ? '' : text.slice(0, at)
      if (at >= 0) text = text.slice(at + 2)
      const fields = new Map(block.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]))
      if (fields.has('data')) {
        const event = LiveEvent.parse(JSON.parse(fields.get('data') ?? ''))
        return { id: fields.get('id') ?? '', name: fields.get('event') ?? '', event }
      }
      if (at >= 0) continue
      if (ended) return undefined
      await more()
    }
  }
  return { response, next, leave: () => reader.cancel() }
}

describe('live stream', () => {
  it('refuses the 21st live stream of a person until one ends', async () => {
    const held: Awaited<ReturnType<typeof listen>>[] = []
    for (let i = 0; i < 20; i += 1) held.push(await listen(ada.auth.token))
    const headers = { authorization: `Bearer ${ada.auth.token}` }
    const refused = await server.fetch('/api/events', { headers })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15'])
    expect(await refused.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
    await held.pop()?.leave()
    const next = await vi.waitFor(() => listen(ada.auth.token))
    await Promise.all([...held, next].map(({ leave }) => leave()))
  })

  it('sends live events as uncached, unbuffered server-sent events', async () => {
    const { response, leave } = await listen(ada.auth.token)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    await leave()
  })

  it('sends events when a device registers, is accepted and is removed', async () => {
    const { next, leave } = await listen(ada.auth.token)
    const { uid } = await server.registerDevice(ada.tenant, { hostname: 'box' })
    await setStatus(ada, uid, 'accept')
    await ada.client.call(operations.devices.remove, { params: { uid } })
    expect(await next()).toMatchObject({
      name: 'device.pending',
      event: { type: 'device.pending', device: { uid, name: 'box', status: 'pending', acceptable: true } },
    })
    expect((await next())?.event).toMatchObject({ type: 'device.changed', device: { uid, status: 'accepted' } })
    expect((await next())?.event).toEqual({ type: 'device.removed', uid })
    await leave()
  })

  it('sends events for device names, tags and offline state, and reset for a renamed tag', async () => {
    const device = await server.acceptedDevice(ada, { hostname: 'plain' })
    const { next, leave } = await listen(ada.auth.token)
    const params = { uid: device.uid }
    await ada.client.call(operations.devices.update, { params, body: { name: 'renamed' } })
    await ada.client.call(operations.devices.setTags, { params, body: { tags: ['attic'] } })
    await server.fetch(`/internal/devices/${device.uid}/offline`, { method: 'POST', headers: server.nodeHeaders })
    await ada.client.call(operations.tags.rename, { params: { tag: 'attic' }, body: { tag: 'cellar' } })
    expect((await next())?.event).toMatchObject({ type: 'device.changed', device: { ...params, name: 'renamed' } })
    expect((await next())?.event).toMatchObject({ type: 'device.changed', device: { ...params, tags: ['attic'] } })
    expect((await next())?.event).toMatchObject({ type: 'device.changed', device: { ...params, online: false } })
    expect((await next())?.event).toEqual({ type: 'reset' })
    await leave()
  })

  it('sends device.removed for the device replaced by a reinstalled one', async () => {
    const identity = { mac: '02:00:00:00:00:01' }
    const old = await server.acceptedDevice(ada, { identity })
    const { next, leave } = await listen(ada.auth.token)
    const fresh = await server.acceptedDevice(ada, { identity })
    expect((await next())?.event).toMatchObject({ type: 'device.pending', device: { uid: fresh.uid } })
    expect((await next())?.event).toEqual({ type: 'device.removed', uid: old.uid })
    expect((await next())?.event).toMatchObject({ type: 'device.changed', device: { uid: fresh.uid } })
    await leave()
  })

  it('sends no events of other namespaces', async () => {
    const other = await server.addPerson('other')
    const theirs = await listen(other.auth.token)
    await server.acceptedDevice(ada, { hostname: 'not-for-others' })
    const { uid } = await server.registerDevice(other.tenant, { hostname: 'their-own' })
    expect((await theirs.next())?.event).toMatchObject({ type: 'device.pending', device: { uid } })
    await theirs.leave()
  })

  it('sends no event for a refused change', async () => {
    const device = await server.acceptedDevice(ada)
    const { next, leave } = await listen(ada.auth.token)
    await expect(setStatus(ada, device.uid, 'reject')).rejects.toMatchObject({ status: 400 })
    const { uid } = await server.registerDevice(ada.tenant)
    expect((await next())?.event).toMatchObject({ type: 'device.pending', device: { uid } })
    await leave()
  })
})

describe('member events on the live stream', () => {
  const { members } = operations
  const settled = async () => {
    const [owner, person] = [await server.addPerson('captain'), await server.addPerson('sailor')]
    return { owner, person, params: { tenant: owner.tenant } }
  }
  let scene: Awaited<ReturnType<typeof settled>>
  beforeAll(async () => {
    scene = await settled()
  })

  it('sends events when members are added, change role, are removed and leave', async () => {
    const { owner, person, params } = scene
    const { next, leave } = await listen(owner.auth.token)
    const body = { email: 'sailor@example.com', role: 'observer' as const }
    const one = { ...params, uid: person.id }
    await owner.client.call(members.add, { params, body })
    await owner.client.call(members.update, { params: one, body: { role: 'operator' } })
    await owner.client.call(members.update, { params: one, body: {} })
    await owner.client.call(members.remove, { params: one })
    await owner.client.call(members.add, { params, body })
    await person.client.call(members.leave, { params })
    const member = { id: person.id, email: 'sailor@example.com', status: 'accepted' }
    expect((await next())?.event).toMatchObject({ type: 'member.added', member: { ...member, role: 'observer' } })
    expect((await next())?.event).toMatchObject({ type: 'member.changed', member: { ...member, role: 'operator' } })
    expect((await next())?.event).toEqual({ type: 'member.removed', id: person.id })
    expect((await next())?.event).toMatchObject({ type: 'member.added' })
    expect((await next())?.event).toEqual({ type: 'member.removed', id: person.id })
    await leave()
  })

  it('ends the live stream of a removed member after the removal event', async () => {
    const { owner, person, params } = scene
    await server.addMember(owner.tenant, person.id, 'observer')
    const { body } = await person.client.call(operations.auth.switchNamespace, { params })
    const { next } = await listen(body.token)
    await owner.client.call(members.remove, { params: { ...params, uid: person.id } })
    expect((await next())?.event).toEqual({ type: 'member.removed', id: person.id })
    expect(await next()).toBeUndefined()
  })

  it('sends no event for refused member changes', async () => {
    const { owner, params } = scene
    const { next, leave } = await listen(owner.auth.token)
    const add = { params, body: { email: 'nobody-at-all@example.com', role: 'observer' as const } }
    await expect(owner.client.call(members.add, add)).rejects.toMatchObject({ status: 404 })
    const demote = { params: { ...params, uid: owner.id }, body: { role: 'observer' as const } }
    await expect(owner.client.call(members.update, demote)).rejects.toMatchObject({ status: 403 })
    const { uid } = await server.registerDevice(owner.tenant)
    expect((await next())?.event).toMatchObject({ type: 'device.pending', device: { uid } })
    await leave()
  })
})

describe('returning listener', () => {
  it('resumes the live stream after the last seen event', async () => {
    const before = await listen(ada.auth.token)
    const first = await server.registerDevice(ada.tenant)
    const seen = await before.next()
    await before.leave()
    const second = await server.registerDevice(ada.tenant)
    const third = await server.registerDevice(ada.tenant)
    const after = await listen(ada.auth.token, seen?.id)
    expect(seen?.event).toMatchObject({ device: { uid: first.uid } })
    expect((await after.next())?.event).toMatchObject({ device: { uid: second.uid } })
    expect((await after.next())?.event).toMatchObject({ device: { uid: third.uid } })
    await after.leave()
  })

  it('sends reset when the last seen event is no longer kept', async () => {
    const before = await listen(ada.auth.token)
    await server.registerDevice(ada.tenant)
    const seen = await before.next()
    await server.registerDevice(ada.tenant)
    await before.leave()
    clock.advance(301_000)
    const after = await listen(ada.auth.token, seen?.id)
    expect((await after.next())?.event).toEqual({ type: 'reset' })
    await after.leave()
  })

  it('sends reset for an event id of another namespace', async () => {
    const mine = await listen(ada.auth.token)
    await server.registerDevice(ada.tenant)
    const seen = await mine.next()
    await server.registerDevice(ada.tenant)
    const other = await server.addPerson('curious')
    const theirs = await listen(other.auth.token, seen?.id)
    expect((await theirs.next())?.event).toEqual({ type: 'reset' })
    await theirs.leave()
    await mine.leave()
  })
})

describe('end of the live stream', () => {
  const signIn = async (username: string) => {
    const response = await server.fetch('/api/auth/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: ada.password }),
    })
    const { token } = (await response.json()) as { token: string }
    return { token, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
  }

  it('ends the live stream when the token expires', async () => {
    const { token } = await signIn('ada')
    const { next } = await listen(token)
    clock.advance(10 * 60_000)
    expect(await next()).toBeUndefined()
  })

  it('ends the live stream within 15 seconds of a sign-out', async () => {
    const { token, cookie } = await signIn('ada')
    const { next } = await listen(token)
    await server.fetch('/api/auth/session', { method: 'DELETE', headers: { cookie } })
    clock.advance(15_000)
    expect(await next()).toBeUndefined()
  })

  it('ends the live stream within 15 seconds of the end of the membership', async () => {
    const guest = await server.addPerson('guest')
    await server.addMember(ada.tenant, guest.id, 'observer')
    const { body } = await guest.client.call(operations.auth.switchNamespace, { params: { tenant: ada.tenant } })
    const { next } = await listen(body.token)
    await server.removeMember(ada.tenant, guest.id)
    clock.advance(15_000)
    expect(await next()).toBeUndefined()
  })

  it('keeps the live stream open while the credential is valid', async () => {
    const { next, leave } = await listen(ada.auth.token)
    for (let minute = 0; minute < 10; minute += 1) clock.advance(60_000)
    const { uid } = await server.registerDevice(ada.tenant)
    expect((await next())?.event).toMatchObject({ device: { uid } })
    await leave()
  })

  it('ends live streams when the server stops, without waiting for clients', async () => {
    const ending = await bootServer()
    const person = await ending.setUpAccount()
    const { next } = await listen(person.auth.token, undefined, ending)
    const closed = ending.close()
    expect(await next()).toBeUndefined()
    await closed
  })
})
