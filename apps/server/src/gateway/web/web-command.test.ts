// Commands in a browser: one command of a device over the web terminal's WebSocket, with the rules of every other session.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { LinkStream, StreamHandler } from '@bowline/link/api'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { type Behaviour, DEVICE_PASSWORD, fakeDevice, judging } from '../../testing/gateway.ts'
import { type Page, openPage } from './testing.ts'

let server: BootedServer
let ada: Person
const folder = mkdtempSync(join(tmpdir(), 'web-command-'))
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  ada = await server.setUpAccount()
  const body = { settings: { session_record: true } }
  await ada.client.call(operations.namespaces.update, { params: { tenant: ada.tenant }, body })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

/** A device that runs commands by /bin/sh. */
const withCommands: Behaviour = (kind, header, stream) =>
  kind === 'auth' ? judging(stream) : runCommand(header, stream)

function runCommand(header: object, stream: LinkStream): StreamHandler {
  const run = 'run' in header ? (header.run as { type: string; command: string }) : undefined
  expect(run?.type).toBe('exec')
  expect(header).not.toHaveProperty('pty')
  const program = spawn('/bin/sh', ['-c', Buffer.from(run?.command ?? '', 'base64').toString()])
  program.stdout.on('data', (data: Buffer) => stream.write(data))
  program.stderr.on('data', (data: Buffer) => stream.write(data, 1))
  program.on('close', (code, signal) => {
    stream.control(
      signal
        ? { type: 'exit-signal', signal: signal.slice(3), coreDumped: false, message: '' }
        : { type: 'exit', status: code ?? 1 },
    )
    stream.close()
  })
  stream.control({ type: 'started' })
  return {
    data(data) {
      program.stdin.write(data)
      stream.consumed(data.length)
    },
    eof: () => program.stdin.end(),
    control(message) {
      if (message['type'] === 'signal') program.kill(`SIG${String(message['name'])}` as NodeJS.Signals)
    },
    closed() {
      program.stdout.destroy()
      program.stderr.destroy()
    },
  }
}

async function begun(uid: DeviceUid, command: string): Promise<Page> {
  const { body } = await ada.client.call(operations.terminals.open, { params: { uid }, body: { username: 'root' } })
  const page = await openPage(server)
  page.say({ type: 'command', ticket: body.ticket, command })
  return page
}

async function run(uid: DeviceUid, command: string) {
  const page = await begun(uid, command)
  const { session } = await page.next('welcome')
  page.say({ type: 'password', password: DEVICE_PASSWORD })
  const ended = await page.next('ended')
  const exit = page.messages.find((message) => message.type === 'exit')
  return { session, ended, exit, output: page.output().toString() }
}

const rowOf = async (uid: string) => (await ada.client.call(operations.sessions.get, { params: { uid } })).body

describe('a command in a browser', () => {
  it('has its output and its status, and is recorded and told as any other', async () => {
    const { device } = await fakeDevice(server, ada, withCommands)
    const { session, exit, output, ended } = await run(device.uid, 'echo out; echo err >&2; exit 7')
    expect(output.split('\n').toSorted()).toEqual(['', 'err', 'out'])
    expect(exit).toEqual({ type: 'exit', status: 7 })
    expect(ended).toMatchObject({ by: 'user', reason: 'disconnect' })
    const row = await until(async () => {
      const found = await rowOf(session)
      return found.active ? undefined : found
    })
    expect(row).toMatchObject({ authenticated: true, recorded: true, username: 'root' })
    expect(row.events.types).toContain('exec')
    const { body } = await ada.client.call(operations.sessions.getRecord, {
      params: { uid: session, seat: '0' },
      query: {},
    })
    expect(body.map(({ message }) => message).join('')).toContain('out')
  })

  it('has an empty input, which ends', async () => {
    const { device } = await fakeDevice(server, ada, withCommands)
    expect((await run(device.uid, 'cat; echo ended')).output).toBe('ended\n')
  })

  it('takes no input, not even before it runs', async () => {
    const { device } = await fakeDevice(server, ada, withCommands)
    const page = await begun(device.uid, 'cat; echo ended')
    await page.next('welcome')
    page.say({ type: 'password', password: DEVICE_PASSWORD })
    await page.next('ready')
    page.data(0, 'typed\n')
    await page.next('ended')
    expect(page.output().toString()).toBe('ended\n')
  })

  it('is told by the signal that has ended it', async () => {
    const { device } = await fakeDevice(server, ada, withCommands)
    expect((await run(device.uid, 'kill -TERM $$')).exit).toEqual({ type: 'exit', signal: 'TERM' })
  })

  it('ends when the page leaves: it gets the signal that asks for it, and may still write', async () => {
    const { device } = await fakeDevice(server, ada, withCommands)
    const mark = join(folder, 'terminated')
    const page = await begun(
      device.uid,
      `trap 'echo ending; echo >${mark}; exit' TERM; echo on; while :; do sleep 0.05; done`,
    )
    const { session } = await page.next('welcome')
    page.say({ type: 'password', password: DEVICE_PASSWORD })
    await until(() => page.output().toString() === 'on\n')
    page.say({ type: 'bye' })
    expect(await until(async () => !(await rowOf(session)).active)).toBe(true)
    await until(() => existsSync(mark))
  })

  it('is waited for no longer than some seconds where it ignores that', async () => {
    const { device } = await fakeDevice(server, ada, withCommands)
    const page = await begun(device.uid, `trap '' TERM; echo on; until [ -e ${folder}/over ]; do sleep 0.05; done`)
    const { session } = await page.next('welcome')
    page.say({ type: 'password', password: DEVICE_PASSWORD })
    await until(() => page.output().toString() === 'on\n')
    page.say({ type: 'bye' })
    expect(await until(async () => !(await rowOf(session)).active)).toBe(true)
    writeFileSync(join(folder, 'over'), '')
  })

  it('has no size, and is not empty', async () => {
    const { device } = await fakeDevice(server, ada, withCommands)
    const page = await begun(device.uid, 'true')
    await page.next('welcome')
    page.say({ type: 'resize', columns: 80, rows: 24 })
    expect((await page.next('ended')).message).toContain('Only a terminal has a size.')
    const empty = await begun(device.uid, ' \n')
    expect((await empty.next('ended')).message).toContain('not understood')
    const long = await begun(device.uid, 'x'.repeat(8_193))
    expect((await long.next('ended')).message).toContain('not understood')
  })

  it('is refused by the rules that refuse every other session', async () => {
    const { device } = await fakeDevice(server, ada, withCommands)
    const rule = { action: 'deny' as const, active: true, priority: 1, source_ip: '.*', username: 'root' }
    const { body } = await ada.client.call(operations.firewall.create, {
      body: { ...rule, filter: { hostname: device.name } },
    })
    const { output, ended } = await run(device.uid, 'echo never')
    await ada.client.call(operations.firewall.remove, { params: { id: body.id } })
    expect([output, ended.reason]).toEqual(['', 'firewall'])
  })
})
