// Recordings over HTTP: formats, access, and changes on the disk.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, readdir, readlink, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { basename, join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { until } from '@bowline/testkit/until'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postFrame } from '../testing/http-server.ts'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'

const { sessions } = operations
const clock = new ManualClock(Date.now())
let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer({ clock })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

const at = (uid: SessionUid) => ({ params: { uid, seat: '0' } })

async function session(): Promise<SessionUid> {
  const uid = SessionUid.parse(randomBytes(32).toString('hex'))
  const { uid: device } = await server.acceptedDevice(person)
  const row = { uid, tenant_id: person.tenant, device_uid: device, username: 'root', type: 'term' as const }
  await server.database.system().insertInto('sessions').values(row).execute()
  return uid
}

/** Creates a session with a recording of these frames. */
async function recorded(...messages: string[]): Promise<{ uid: SessionUid; file: string }> {
  const uid = await session()
  for (const message of messages) await postFrame(server, uid, message)
  const { id } = await server.database
    .system()
    .selectFrom('recordings')
    .select('id')
    .where('session_uid', '=', uid)
    .executeTakeFirstOrThrow()
  return { uid, file: join(server.dataFolder, 'recordings', `${id}.cast`) }
}

/** Statement of the last ledger entry. */
async function lastStatement(): Promise<unknown> {
  const { statement } = await server.database
    .system()
    .selectFrom('recording_ledger')
    .select('statement')
    .where('tenant_id', '=', person.tenant)
    .orderBy('sequence', 'desc')
    .executeTakeFirstOrThrow()
  return JSON.parse(statement)
}

const verdict = async (uid: SessionUid) => (await person.client.call(sessions.verifyRecord, at(uid))).body
const get = (path: string, headers: Record<string, string> = {}) =>
  server.fetch(path, { headers: { authorization: `Bearer ${person.auth.token}`, ...headers } })

describe('a client that leaves', () => {
  /** Open descriptors of a file in this process, which the server is part of. */
  async function opened(file: string): Promise<number> {
    const names = await readdir('/proc/self/fd')
    const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
    return targets.filter((target) => target === file).length
  }

  it('leaves no file open, at whichever moment it leaves', async () => {
    const { uid, file } = await recorded('one', 'two')
    const headers = { authorization: `Bearer ${person.auth.token}` }
    for (let turns = 0; turns < 120; turns += 1) {
      const asked = request(`${server.origin}/api/sessions/${uid}/records/0`, { headers, agent: false })
      const closed = new Promise((resolve) => asked.once('close', resolve))
      asked.on('error', () => undefined).end()
      for (let turn = 0; turn < turns; turn += 1) await new Promise((next) => setImmediate(next))
      asked.destroy()
      await closed
    }
    const { body } = await person.client.call(sessions.getRecord, at(uid))
    expect(body).toHaveLength(2)
    await until(async () => (await opened(file)) === 0)
  })
})

describe('recordings', () => {
  it('records frames posted by other parts of the platform in order', async () => {
    const { uid } = await recorded('$ uptime\r\n', 'up 3 days \u20ac\r\n')
    const { body } = await person.client.call(sessions.getRecord, at(uid))
    expect(body.map(({ message }) => message)).toEqual(['$ uptime\r\n', 'up 3 days \u20ac\r\n'])
    expect(body[0]).toMatchObject({ uid, seat: 0, tenant_id: person.tenant, width: 80, height: 24 })
    expect((await person.client.call(sessions.get, { params: { uid } })).body.recorded).toBe(true)
    expect(await verdict(uid)).toMatchObject({ result: 'intact', complete: true, chunks: 2, bad_chunk: null })
  })

  it('serves frames by default, asciicast 2 to clients that accept text, and any format by name', async () => {
    const { uid } = await recorded('hello')
    const path = `/api/sessions/${uid}/records/0`
    const forms = await Promise.all([
      get(path),
      get(path, { accept: 'application/json' }),
      get(path, { accept: 'application/json, text/plain;q=0' }),
      // Headers of existing consoles, with and without a format parameter.
      get(path, { accept: 'application/json, text/plain, */*' }),
      get(`${path}?format=frames`, { accept: 'application/json, text/plain, */*' }),
      get(path, { accept: 'text/plain' }),
      get(`${path}?format=cast`),
      get(`${path}?format=cast3`),
    ])
    const texts = await Promise.all(forms.map((form) => form.text()))
    expect(
      texts.map((text) => (text.startsWith('[') ? 'frames' : JSON.parse(text.split('\n')[0] ?? '').version)),
    ).toEqual(['frames', 'frames', 'frames', 2, 'frames', 2, 2, 3])
    expect(forms.map((form) => form.headers.get('content-type')?.split(';')[0])).toEqual([
      'application/json',
      'application/json',
      'application/json',
      'text/plain',
      'application/json',
      'text/plain',
      'text/plain',
      'text/plain',
    ])
    expect((await get(`${path}?format=gif`)).status).toBe(400)
  })

  it('serves a recording from a byte offset, so that a player can follow it', async () => {
    const { uid, file } = await recorded('one', 'two')
    const path = `/api/sessions/${uid}/records/0`
    const whole = await readFile(file, 'latin1')
    const from = whole.indexOf('[', whole.indexOf('one'))
    expect(await (await get(`${path}?format=cast3&after=${from}`)).text()).toBe(whole.slice(from))
    expect(await (await get(`${path}?format=cast3&after=${whole.length}`)).text()).toBe('')
    for (const query of [`format=cast&after=${from}`, 'after=0', 'format=cast3&after=-1']) {
      const response = await get(`${path}?${query}`)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'INVALID_INPUT', fields: ['after'] })
    }
  })

  it('rejects frames without the node secret, malformed, or for another seat than the path’s', async () => {
    const uid = await session()
    const post = (body: unknown, headers: Record<string, string> = server.nodeHeaders) =>
      server.fetch(`/api/sessions/${uid}/records/0`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
    const frame = { uid, seat: 0, message: 'x', width: 80, height: 24 }
    const status = async (...args: Parameters<typeof post>) => (await post(...args)).status
    expect(await status(frame, {})).toBe(404)
    expect(await status(frame, { 'x-node-secret': 'another' })).toBe(404)
    expect(await status('{')).toBe(422)
    expect(await status({ ...frame, message: 7 })).toBe(422)
    expect(await (await post({ ...frame, message: 7 })).json()).toMatchObject({ message: expect.any(String) })
    for (const field of Object.keys(frame)) expect(await status({ ...frame, [field]: undefined })).toBe(400)
    expect(await status({ ...frame, seat: 1 })).toBe(400)
    expect(await status({ ...frame, uid: 'f'.repeat(64) })).toBe(400)
    expect(await status(frame)).toBe(200)
  })

  it('deletes a recording with its file and marks the session as not recorded', async () => {
    const { uid, file } = await recorded('x')
    await person.client.call(sessions.removeRecord, at(uid))
    expect(await outcome(person.client.call(sessions.getRecord, at(uid)))).toBe('404 NOT_FOUND')
    expect(await outcome(person.client.call(sessions.removeRecord, at(uid)))).toBe('404 NOT_FOUND')
    await expect(readFile(file)).rejects.toThrow('ENOENT')
    expect(await outcome(person.client.call(sessions.verifyRecord, at(uid)))).toBe('404 NOT_FOUND')
    const by = { type: 'user', id: person.id }
    expect(await lastStatement()).toMatchObject({ kind: 'remove', reason: 'deleted', by })
    expect((await person.client.call(sessions.get, { params: { uid } })).body.recorded).toBe(false)
  })

  it('deletes recordings older than the namespace’s retention, with an audit entry', async () => {
    const old = await recorded('x')
    const recent = await recorded('y')
    const { params } = { params: { tenant: person.tenant } }
    const settings = { recording_retention_days: 30 }
    await person.client.call(operations.namespaces.update, { params, body: { settings } })
    const db = server.database.system()
    const day = 86_400_000
    const age = (uid: SessionUid, days: number) =>
      db
        .updateTable('recordings')
        .set({ ended_at: new Date(clock.now() - days * day) })
        .where('session_uid', '=', uid)
        .execute()
    await age(old.uid, 31)
    await age(recent.uid, 29)
    clock.advance(600_000)
    await expect.poll(() => outcome(person.client.call(sessions.getRecord, at(old.uid)))).toBe('404 NOT_FOUND')
    await expect.poll(() => readdir(join(server.dataFolder, 'recordings'))).not.toContain(basename(old.file))
    expect((await person.client.call(sessions.getRecord, at(recent.uid))).body).toHaveLength(1)
    const { body } = await person.client.call(operations.audit.list, { query: { per_page: '100' } })
    expect(body.filter(({ action }) => action === 'recording.expire').map(({ target }) => target)).toEqual([old.uid])
    expect(await outcome(person.client.call(sessions.verifyRecord, at(old.uid)))).toBe('404 NOT_FOUND')
    expect(await lastStatement()).toMatchObject({ kind: 'remove', reason: 'expired' })
    const broken = { settings: { recording_retention_days: -1 } }
    expect(await outcome(person.client.call(operations.namespaces.update, { params, body: broken }))).toMatch(/^400/)
  })

  it('answers 404, not missing, for a recording removed with its device', async () => {
    const { uid } = await recorded('x')
    const { device_uid: device } = (await person.client.call(sessions.get, { params: { uid } })).body
    await person.client.call(operations.devices.remove, { params: { uid: device } })
    expect(await outcome(person.client.call(sessions.verifyRecord, at(uid)))).toBe('404 NOT_FOUND')
    expect(await lastStatement()).toMatchObject({ kind: 'remove-device', device })
  })

  it('reports a recording as missing after its session was deleted', async () => {
    const { uid } = await recorded('x')
    await server.database.system().deleteFrom('sessions').where('uid', '=', uid).execute()
    expect(await outcome(person.client.call(sessions.getRecord, at(uid)))).toBe('404 NOT_FOUND')
    expect(await verdict(uid)).toMatchObject({ result: 'missing' })
  })

  it('allows only administrators and the owner of the namespace to read recordings', async () => {
    const { uid } = await recorded('secret')
    const outsider = await server.addPerson('outsider')
    const answers: Record<string, string> = {}
    for (const call of [sessions.getRecord, sessions.verifyRecord, sessions.removeRecord]) {
      expect(await outcome(outsider.client.call(call, at(uid)))).toBe('404 NOT_FOUND')
    }
    for (const role of ['observer', 'operator', 'administrator'] as const) {
      const member = await server.addPerson(`an-${role}`)
      await server.addMember(person.tenant, member.id, role)
      const { tenant } = person
      const { body } = await member.client.call(operations.auth.switchNamespace, { params: { tenant } })
      answers[role] = await outcome(server.client(body.token).call(sessions.getRecord, at(uid)))
    }
    expect(answers).toEqual({ observer: '403 FORBIDDEN', operator: '403 FORBIDDEN', administrator: '200' })
  })
})

describe('recordings modified on disk', () => {
  const lines = async (file: string) => (await readFile(file, 'utf8')).split(/(?<=\n)/)

  it('detects a flipped bit and names the chunk', async () => {
    const { uid, file } = await recorded('one', 'two', 'three')
    const bytes = await readFile(file)
    const flip = bytes.indexOf('two')
    bytes[flip] = (bytes[flip] ?? 0) ^ 1
    await writeFile(file, bytes)
    expect(await verdict(uid)).toMatchObject({ result: 'tampered', bad_chunk: 1, chunks: 1, complete: false })
  })

  it('detects a truncated recording', async () => {
    const { uid, file } = await recorded('one', 'two', 'three')
    const kept = (await lines(file)).slice(0, 8).join('')
    expect(kept).toContain('two')
    await truncate(file, kept.length)
    expect(await verdict(uid)).toMatchObject({ result: 'tampered', bad_chunk: 2 })
  })

  it('detects reordered chunks', async () => {
    const { uid, file } = await recorded('one', 'two', 'three')
    const all = await lines(file)
    const [first, second, third] = [all.slice(0, 5), all.slice(5, 8), all.slice(8, 11)]
    await writeFile(file, [...first, ...third, ...second, ...all.slice(11)].join(''))
    expect(await verdict(uid)).toMatchObject({ result: 'tampered', bad_chunk: 1 })
  })

  it('detects a file of another session', async () => {
    const [one, other] = [await recorded('one'), await recorded('other')]
    await rename(one.file, other.file)
    expect(await verdict(other.uid)).toMatchObject({ result: 'tampered', bad_chunk: 0 })
  })

  it('refuses to read a symbolic link', async () => {
    const { uid, file } = await recorded('x')
    await rename(file, `${file}.away`)
    await symlink('/etc/passwd', file)
    expect(await outcome(person.client.call(sessions.getRecord, at(uid)))).toBe('404 NOT_FOUND')
  })
})

describe('recordings with modified database rows', () => {
  const db = () => server.database.system()
  const rowOf = (uid: SessionUid) =>
    db().selectFrom('recordings').selectAll().where('session_uid', '=', uid).executeTakeFirstOrThrow()
  const fileOf = (id: string) => join(server.dataFolder, 'recordings', `${id}.cast`)

  it('detects swapped session_uid of two recordings', async () => {
    const [one, other] = [await recorded('of one'), await recorded('of the other')]
    const [rowOfOne, rowOfOther] = [await rowOf(one.uid), await rowOf(other.uid)]
    const move = (id: string, values: { session_uid?: SessionUid; seat?: number }) =>
      db().updateTable('recordings').set(values).where('id', '=', id).execute()
    await move(rowOfOne.id, { seat: 9 })
    await move(rowOfOther.id, { session_uid: one.uid })
    await move(rowOfOne.id, { session_uid: other.uid, seat: 0 })
    const { result, differs, message } = await verdict(one.uid)
    expect(result).toBe('tampered')
    expect(differs).toContain('session')
    expect(message).toContain('another session')
  })

  it.each([
    ['user', { username: 'nobody' }],
    ['address', { ip_address: '203.0.113.9' }],
  ] as const)('detects a changed session column: %s', async (field, values) => {
    const { uid } = await recorded('x')
    expect(await verdict(uid)).toMatchObject({ result: 'intact', identity: true, differs: [] })
    await db().updateTable('sessions').set(values).where('uid', '=', uid).execute()
    expect(await verdict(uid)).toMatchObject({ result: 'tampered', differs: [field] })
  })

  it('detects a session moved to another device', async () => {
    const { uid } = await recorded('x')
    const { uid: device } = await server.acceptedDevice(person)
    await db().updateTable('sessions').set({ device_uid: device }).where('uid', '=', uid).execute()
    expect(await verdict(uid)).toMatchObject({ result: 'tampered', differs: ['device'] })
  })

  it.each([
    ['started_at', { started_at: new Date(0) }],
    ['seat', { seat: 3 }],
    ['command', { command: 'harmless' }],
  ] as const)('detects a changed recording column: %s', async (field, values) => {
    const { uid } = await recorded('x')
    await db().updateTable('recordings').set(values).where('session_uid', '=', uid).execute()
    const seat = 'seat' in values ? String(values.seat) : '0'
    const { body } = await person.client.call(sessions.verifyRecord, { params: { uid, seat } })
    expect(body).toMatchObject({ result: 'tampered', differs: [field] })
  })

  it('verifies a recording whose device key is unreadable', async () => {
    const { uid } = await recorded('x')
    const ofSession = db().selectFrom('sessions').select('device_uid').where('uid', '=', uid)
    await db().updateTable('devices').set({ public_key: 'no PEM' }).where('uid', 'in', ofSession).execute()
    expect(await verdict(uid)).toMatchObject({ result: 'intact', complete: true })
  })

  it('reports a recording as missing without row and file', async () => {
    const { uid, file } = await recorded('x')
    await db().deleteFrom('recordings').where('session_uid', '=', uid).execute()
    await rm(file)
    expect(await verdict(uid)).toMatchObject({ result: 'missing', complete: false, chunks: 0 })
  })

  it('reports a recording as missing without its file', async () => {
    const { uid, file } = await recorded('x')
    await rm(file)
    expect(await verdict(uid)).toMatchObject({ result: 'missing' })
    expect(await outcome(person.client.call(sessions.getRecord, at(uid)))).toBe('404 NOT_FOUND')
  })

  it('detects another recording in its place', async () => {
    const [one, other] = [await recorded('one'), await recorded('other')]
    const { id } = await rowOf(other.uid)
    await db().deleteFrom('recordings').where('session_uid', '=', one.uid).execute()
    await db().updateTable('recordings').set({ session_uid: one.uid }).where('id', '=', id).execute()
    expect(await verdict(one.uid)).toMatchObject({ result: 'tampered' })
    expect(await readFile(fileOf(id), 'utf8')).toContain('other')
  })

  it('denies the database roles update and delete on the ledger', async () => {
    for (const role of ['bowline_app', 'bowline_system']) {
      const { rows } = await sql<{ may: boolean }>`select has_table_privilege(${role}, 'recording_ledger', 'update') or
        has_table_privilege(${role}, 'recording_ledger', 'delete') as may`.execute(db())
      expect([role, rows]).toEqual([role, [{ may: false }]])
    }
  })
})

it('rejects malformed session uids and seats in recording paths', async () => {
  const { uid } = await recorded('x')
  const seats = ['-1', '1e3', '0x0', '0.0', '%20', '00000000', '65536', '%2e%2e', '..%2f..', '0%00']
  const uids = [
    '..',
    '%2e%2e',
    `..%2f..%2f${uid}`,
    `${uid.slice(2)}..`,
    uid.toUpperCase().replace(/\d/g, 'A'),
    `${uid}%00`,
  ]
  const paths = [...seats.map((seat) => `${uid}/records/${seat}`), ...uids.map((one) => `${one}/records/0`)]
  const headers = { authorization: `Bearer ${person.auth.token}` }
  for (const path of paths) {
    // Sent unchanged: fetch would normalise the path.
    const outgoing = request(server.origin, { path: `/api/sessions/${path}`, headers }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    incoming.resume()
    const status = incoming.statusCode ?? 0
    expect([path, [400, 404].includes(status)]).toEqual([path, true])
  }
  const names = await readdir(join(server.dataFolder, 'recordings'))
  expect(
    names.filter((name) => !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(cast(\.away)?|index(\.part)?)$/.test(name)),
  ).toEqual([])
})
