// A replayed refresh token of a program: whoever held the copy keeps nothing that the sign-in has approved.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answerOf, approve, askForFactor, ownKey, OPENSSH, signing, theHeldLogin } from '../held-logins/testing.ts'
import { type BootedServer, bootServer, outcome } from '../testing/boot.ts'
import { fakeDevice } from '../testing/gateway.ts'

const { programs } = operations
let clock: ManualClock
let server: BootedServer
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  server = await bootServer({ clock, settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
})
afterAll(() => server.close())

it('a replayed refresh token ends program codes and windows of its person, not its family alone', async () => {
  const ada = await server.setUpAccount()
  const device = await fakeDevice(server, ada)
  await askForFactor(ada)
  const key = await ownKey(ada)
  const login = await signing(server, device.login('root'), key, OPENSSH)
  await approve(ada, (await theHeldLogin(ada)).code)
  await answerOf(login)
  expect((await answerOf(login)).kind).toBe('success')
  const start = async () => {
    const { body } = await server.client().call(programs.start, { body: { name: 'laptop' } })
    await ada.client.call(programs.decide, { body: { user_code: body.user_code, approve: true } })
    return { body: { device_code: body.device_code } }
  }
  const signIn = (await server.client().call(programs.token, await start())).body
  const waiting = await start()
  const renewal = { body: { refresh_token: signIn.refresh_token } }
  const renewed = (await server.client().call(programs.token, renewal)).body
  clock.advance((LIMITS.refreshGraceSeconds + 1) * 1_000)
  expect(await outcome(server.client().call(programs.token, renewal))).toContain('401')
  const again = { body: { refresh_token: renewed.refresh_token } }
  expect(await outcome(server.client().call(programs.token, again))).toContain('401')
  expect(await outcome(server.client().call(programs.token, waiting))).toBe('400 CODE_EXPIRED')
  expect((await answerOf(await signing(server, device.login('root'), key, OPENSSH))).kind).toBe('banner')
})
