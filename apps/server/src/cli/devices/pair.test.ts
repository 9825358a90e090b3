// `bowline device pair` against a whole server, with a device that waits.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@bowline/base/clock'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pairingCalls, unpaired } from '../../pairing/testing.ts'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { runCommand } from '../program.ts'
import { commandLine } from '../testing.ts'
import { saveSignIn } from '../client/sign-in-file.ts'

let server: BootedServer
let ada: Person
let home: string
beforeAll(async () => {
  server = await bootServer()
  ada = await server.setUpAccount()
  home = await mkdtemp(join(tmpdir(), 'bowline-pair-'))
})
afterAll(async () => {
  await server.close()
  await rm(home, { recursive: true })
})
const signIn = (person: Person) =>
  saveSignIn({ env: { HOME: home } }, { server: server.origin, token: person.auth.token, refresh_token: 'none' })
beforeEach(() => signIn(ada))

const cli = commandLine(() => ({ HOME: home }))
const waiting = (hostname?: string) =>
  pairingCalls(server, systemClock).start(unpaired(hostname === undefined ? {} : { hostname }))
const names = async () => (await ada.client.call(operations.devices.list, {})).body.map(({ name }) => name)

/** Runs the command at a terminal. @param answer what the person types when asked */
async function atTerminal(code: string, answer: string) {
  const [out, errors, asked]: [string[], string[], string[]] = [[], [], []]
  const status = await runCommand(['device', 'pair', code], {
    env: { HOME: home },
    read: () => Promise.resolve(''),
    ask: (prompt) => Promise.resolve(asked.push(prompt)).then(() => answer),
    print: (line) => out.push(line),
    complain: (line) => errors.push(line),
  })
  return { status, out: out.join('\n'), errors: errors.join('\n'), asked: asked.join('\n') }
}

describe('bowline device pair', () => {
  it('shows the device, asks, and adds it', async () => {
    const { user_code, fingerprint } = await waiting('kiosk')
    const ran = await atTerminal(user_code, 'y')
    expect(ran).toMatchObject({ status: 0, out: `Added kiosk to ${ada.namespace}.` })
    expect(ran.errors).toMatch(/^Device +kiosk\nSystem +Debian 12, x64, agent 0\.1\.0\nAddress +127\.0\.0\.1\n/)
    expect(ran.errors).toContain(fingerprint)
    expect(ran.asked).toContain(`Add it to ${ada.namespace}`)
    expect(await names()).toContain('kiosk')
  })

  it.each(['', 'n', 'no', 'maybe'])('adds nothing when the answer is %o', async (answer) => {
    const { user_code } = await waiting('refused')
    expect(await atTerminal(user_code, answer)).toMatchObject({ status: 1, out: '' })
    expect(await names()).not.toContain('refused')
  })

  it('adds by the fingerprint without a question, and prints JSON', async () => {
    const { user_code, fingerprint } = await waiting()
    const ran = await cli.run(
      `device pair ${user_code} --fingerprint ${fingerprint} --name front-door --json`.split(' '),
    )
    expect(ran.status).toBe(0)
    expect(JSON.parse(ran.out)).toMatchObject({ name: 'front-door', status: 'accepted', namespace: ada.namespace })
  })

  it('adds nothing by the fingerprint of another device, nor without a terminal and a fingerprint', async () => {
    const [{ user_code }, { fingerprint }] = [await waiting('unmeant'), await waiting()]
    const wrong = await cli.run(['device', 'pair', user_code, '--fingerprint', fingerprint])
    expect([wrong.status, wrong.out]).toEqual([1, ''])
    const unasked = await cli.run(['device', 'pair', user_code])
    expect(unasked).toMatchObject({ status: 2, out: '', errors: expect.stringContaining('add --fingerprint SHA256:') })
    expect(await names()).not.toContain('unmeant')
  })

  it('says so when no device waits under the code, and why a name is refused', async () => {
    expect(await cli.refusal('device pair BCDF-GHJK')).toEqual([1, expect.stringContaining('No device waits')])
    const { user_code, fingerprint } = await waiting()
    const ran = await cli.run(['device', 'pair', user_code, '--fingerprint', fingerprint, '--name', 'kiosk'])
    expect(ran).toMatchObject({ status: 1, errors: expect.stringContaining('is named kiosk') })
  })

  it('shows no control characters of a device', async () => {
    const { user_code } = await pairingCalls(server, systemClock).start({
      ...unpaired({ hostname: 'plain' }),
      info: { id: 'x', pretty_name: 'a\u001b[2J\u202e', version: '1', arch: 'x64', platform: 'native' },
    })
    const { errors } = await atTerminal(user_code, 'n')
    expect(errors).toContain('System       a[2J, x64')
    expect(errors).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
  })

  it('asks people to sign in first', async () => {
    await rm(join(home, '.config'), { recursive: true })
    expect(await cli.refusal('device pair BCDF-GHJK')).toEqual([1, expect.stringContaining('bowline login')])
  })
})
