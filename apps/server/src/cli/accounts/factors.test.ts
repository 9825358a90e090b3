// Second factors on the command line.
import { systemClock } from '@bowline/base/clock'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mailsTo } from '../../mails/testing/outbox.ts'
import { addFactor, passwordStep } from '../../mfa/testing.ts'
import { type BootedServer, type Person, bootServer, databaseUrl, outcome } from '../../testing/boot.ts'
import { commandLine } from '../testing.ts'

let server: BootedServer
let ada: Person
beforeAll(async () => {
  server = await bootServer()
  ada = await server.setUpAccount()
})
afterAll(() => server.close())

const { json, bowline, refusal } = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
  BOWLINE_PUBLIC_URL: 'https://bowline.example.com',
}))

it('shows whose second factor is on, removes every factor of an account and ends its sessions', async () => {
  await server.addPerson('grace')
  await addFactor(ada.client, systemClock)
  expect(await json('user list')).toMatchObject([
    { username: 'ada', mfa: true },
    { username: 'grace', mfa: false },
  ])
  expect(await bowline('user list')).toMatch(/^ada .* on$/m)
  expect(await bowline('user reset-factors ada')).toBe(
    'Removed the second factor of ada; every session has ended. The password alone signs in now.',
  )
  expect(await outcome(ada.client.call(operations.auth.getUser, {}))).toBe('401 UNAUTHORIZED')
  expect(await passwordStep(server, ada)).toBe('')
  const notices = await mailsTo(server, 'ada@example.com', 'notice')
  expect(notices.at(-1)?.values).toMatchObject({ event: 'factors-reset', link: 'https://bowline.example.com/profile' })
  const history = (await json('user history ada')) as { kind: string }[]
  expect(history.map(({ kind }) => kind)).toContain('factor.reset')
})

it('tells the owner of a password that the operator sets', async () => {
  await bowline('user password grace -', 'another-password')
  const [notice] = await mailsTo(server, 'grace@example.com', 'notice')
  expect(notice?.values).toMatchObject({ event: 'password-changed', link: 'https://bowline.example.com/profile' })
})

it('names an unknown account', async () => {
  expect(await refusal('user reset-factors nobody')).toEqual([1, 'bowline: The user nobody was not found.'])
})
