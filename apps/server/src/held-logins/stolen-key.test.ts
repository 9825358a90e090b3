// Somebody with a stolen key, who can neither pass nor be kept from trying: what they may not do to its owner.
import { operations } from '@bowline/contract/operations'
import { LIMITS } from '@bowline/contract/limits'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import type { UserKey } from '@bowline/ssh/testing/user-key'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addFactor, codeAt } from '../mfa/testing.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { fakeDevice } from '../testing/gateway.ts'
import {
  OPENSSH,
  answerOf,
  approve,
  askForFactor,
  askedInteractively,
  heldLogins,
  ownKey,
  reply,
  signing,
  theHeldLogin,
} from './testing.ts'

const { perPerson } = LIMITS.heldLogin
let clock: ManualClock
let server: BootedServer
let owner: Person
let login: string
let stolen: UserKey
let number = 0
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  owner = await server.addPerson(`robbed-${(number += 1)}`)
  login = (await fakeDevice(server, owner)).login('root')
  await askForFactor(owner)
  stolen = await ownKey(owner)
})

/** Logins by keys from as many networks as may wait for a person, and more. */
async function wait(...keys: readonly UserKey[]): Promise<void> {
  for (let i = 0; i <= perPerson; i += 1) {
    for (const key of keys) await answerOf(await signing(server, login, key, OPENSSH, `127.0.1.${i + 1}`))
  }
}

describe('a stolen key that waits from many networks', () => {
  it('leaves room for another key of its owner at a network where they have never signed in', async () => {
    await wait(stolen)
    const client = await signing(server, login, await ownKey(owner), OPENSSH, '127.0.2.1')
    expect((await answerOf(client)).kind).toBe('banner')
    expect((await heldLogins(owner)).length).toBeLessThan(perPerson)
  })

  it('gives way to the same key at a network where its owner has signed in', async () => {
    await wait(stolen)
    const client = await signing(server, login, stolen, OPENSSH)
    expect((await answerOf(client)).kind).toBe('banner')
    const own = (await heldLogins(owner)).find(({ source }) => source === '127.0.0.1')
    await approve(owner, own?.code ?? '')
    expect((await answerOf(client)).kind).toBe('success')
  })

  it('gives way to every key of its owner where all of them are stolen', async () => {
    const keys = [stolen, await ownKey(owner), await ownKey(owner)]
    await wait(...keys)
    expect(await heldLogins(owner)).toHaveLength(perPerson)
    const client = await signing(server, login, await ownKey(owner), OPENSSH)
    expect((await answerOf(client)).kind).toBe('banner')
    expect(await heldLogins(owner)).toHaveLength(perPerson)
  })

  it('does not keep its owner from typing a code', async () => {
    const { secret } = await addFactor(owner.client, clock)
    await server.database.system().deleteFrom('known_sources').where('user_id', '=', owner.id).execute()
    for (let i = 0; i <= perPerson; i += 1) {
      const thief = await signing(server, login, stolen, 'SSH-2.0-other', `127.0.1.${i + 1}`)
      await answerOf(thief)
      askedInteractively(thief, login)
      await answerOf(thief)
    }
    clock.advance(30_000)
    const client = await signing(server, login, stolen, OPENSSH)
    expect((await answerOf(client)).kind).toBe('failure')
    askedInteractively(client, login)
    expect(await answerOf(client)).toMatchObject({ kind: 'question', prompts: 1 })
    reply(client, codeAt(secret, clock.now()))
    expect((await answerOf(client)).kind).toBe('success')
  })
})

describe('a stolen session', () => {
  it('ends single logins of its owner, and does not keep them out for longer', async () => {
    const key = await ownKey(owner)
    const first = await signing(server, login, key, OPENSSH)
    await answerOf(first)
    clock.advance(11 * 60_000)
    const again = await signing(server, login, key, OPENSSH)
    await answerOf(again)
    const { code } = await theHeldLogin(owner)
    expect(await outcome(owner.client.call(operations.heldLogins.deny, { params: { code } }))).toBe('200')
    expect(await answerOf(again)).toMatchObject({ kind: 'disconnect', text: 'Bowline: the login was denied.' })
    expect((await answerOf(await signing(server, login, key, OPENSSH))).kind).toBe('banner')
  })
})
