// The authentication service from the client's side: order, attempts, prompts, and client violations.
import { describe, expect, test } from 'vitest'
import type { AuthAttempt, AuthDecision } from '../api.ts'
import { connect, settle } from '../../test/support/connect.ts'
import type { ConnectOptions } from '../../test/support/connect.ts'
import type { TestClient } from '../../test/support/test-client.ts'
import { ed25519Key } from '../../test/support/user-key.ts'
import * as n from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'

type Decide = (attempt: AuthAttempt) => Promise<AuthDecision>

async function ready(decide: Decide, more: ConnectOptions = {}) {
  const attempts: AuthAttempt[] = []
  const connected = connect({
    ...more,
    handler: {
      ...more.handler,
      authenticate: (_connection, attempt) => {
        attempts.push(attempt)
        return decide(attempt)
      },
    },
  })
  await connected.client.startAuthentication()
  return { ...connected, attempts }
}

const rejectAll: Decide = async () => ({ result: 'reject' })

async function failure(client: TestClient) {
  const reader = await client.read(n.MSG_USERAUTH_FAILURE)
  return { methods: reader.nameList('methods'), partial: reader.boolean('partial') }
}

describe('methods', () => {
  test('none returns the methods and does not count as an attempt', async () => {
    const { client, attempts } = await ready(rejectAll, { limits: { authAttempts: 1 } })
    client.send(client.authRequest('user', 'none').done())
    expect(await failure(client)).toEqual({
      methods: ['publickey', 'password', 'keyboard-interactive'],
      partial: false,
    })
    expect(attempts).toEqual([{ method: 'none', user: 'user' }])
  })

  test('a disabled or unknown method fails without calling the handler', async () => {
    const { client, attempts } = await ready(async () => ({ result: 'accept' }), {
      options: { methods: ['publickey'] },
    })
    client.sendPassword('user', 'right')
    expect(await failure(client)).toEqual({ methods: ['publickey'], partial: false })
    client.send(client.authRequest('user', 'hostbased').string('x').done())
    await failure(client)
    expect(attempts).toEqual([])
  })

  test('a password change request and a password that is not UTF-8 fail without calling the handler', async () => {
    const { client, attempts } = await ready(async () => ({ result: 'accept' }))
    client.send(client.authRequest('user', 'password').boolean(true).string('old').string('new').done())
    await failure(client)
    client.send(client.authRequest('user', 'password').boolean(false).string(Uint8Array.of(0xff)).done())
    await failure(client)
    expect(attempts).toEqual([])
  })

  test('a correct first factor leads to a second', async () => {
    const { client, connection } = await ready(async (attempt) => {
      if (attempt.method === 'password') return { result: 'partial', methods: ['keyboard-interactive'] }
      if (attempt.method !== 'keyboard-interactive') return { result: 'reject' }
      const [code] = await attempt.prompt('Second factor', '', [{ text: 'Code: ', echo: false }])
      return { result: code === '123456' ? 'accept' : 'reject' }
    })
    client.sendPassword('user', 'right')
    expect(await failure(client)).toEqual({ methods: ['keyboard-interactive'], partial: true })
    // Repeating the first factor must not bypass the second.
    client.sendPassword('user', 'right')
    expect(await failure(client)).toEqual({ methods: ['keyboard-interactive'], partial: false })
    client.send(client.authRequest('user', 'keyboard-interactive').string('').string('').done())
    const asked = await client.read(n.MSG_USERAUTH_INFO_REQUEST)
    expect([asked.text('name'), asked.text('instruction'), asked.text('language')]).toEqual(['Second factor', '', ''])
    expect([asked.uint32('count'), asked.text('prompt'), asked.boolean('echo')]).toEqual([1, 'Code: ', false])
    client.send(new WireWriter().byte(n.MSG_USERAUTH_INFO_RESPONSE).uint32(1).string('123456').done())
    expect(await client.authAnswer()).toBe('success')
    expect(connection.user).toBe('user')
  })

  test('sends a banner once, before the first decision', async () => {
    let banners = 0
    const { client } = await ready(rejectAll, {
      handler: {
        banner: async (_connection, user) => {
          banners += 1
          return `Hello ${user}\n`
        },
      },
    })
    client.send(client.authRequest('user', 'none').done())
    const [type, ...text] = await client.next(n.MSG_USERAUTH_BANNER, n.MSG_USERAUTH_FAILURE)
    expect(type).toBe(n.MSG_USERAUTH_BANNER)
    expect(new WireReader(Uint8Array.from(text)).text('banner')).toBe('Hello user\n')
    await failure(client)
    client.sendPassword('user', 'wrong')
    await failure(client)
    expect(banners).toBe(1)
  })
})

describe('a handler that throws, rejects or disconnects', () => {
  test.each<[string, Decide]>([
    [
      'throws',
      () => {
        throw new Error('boom')
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
  ])('fails the attempt of a handler that %s', async (_name, decide) => {
    const { client } = await ready(decide)
    client.sendPassword('user', 'right')
    expect((await failure(client)).partial).toBe(false)
  })

  test('omits a banner whose callback throws', async () => {
    const { client } = await ready(rejectAll, {
      handler: {
        banner: () => {
          throw new Error('boom')
        },
      },
    })
    client.sendPassword('user', 'wrong')
    expect((await failure(client)).partial).toBe(false)
  })

  test('a disconnect decision sends its message and sets the cause', async () => {
    const { client, closed } = await ready(async () => ({ result: 'disconnect', message: 'Not from here.' }))
    client.sendPassword('user', 'right')
    expect(await client.disconnected()).toEqual({ code: 14, message: 'Not from here.' })
    expect(await closed).toEqual({ by: 'local', reason: 'authentication-refused', message: 'Not from here.' })
  })
})

describe('attempts', () => {
  test('ends the connection on the last allowed failure', async () => {
    const { client, closed, attempts } = await ready(rejectAll, { limits: { authAttempts: 3 } })
    for (let turn = 0; turn < 3; turn += 1) client.sendPassword('user', 'wrong')
    expect(await client.disconnected()).toMatchObject({ code: 14 })
    expect(await closed).toMatchObject({ by: 'limit', reason: 'auth-attempts' })
    expect(attempts.length).toBe(3)
  })

  test('counts a key query as half an attempt, acceptable or not', async () => {
    const { client, closed, attempts } = await ready(rejectAll, { limits: { authAttempts: 3 } })
    const key = ed25519Key()
    for (let turn = 0; turn < 6; turn += 1) {
      client.send(client.publicKeyRequest({ algorithm: key.algorithm, blob: key.blob }))
    }
    expect(await closed).toMatchObject({ by: 'limit', reason: 'auth-attempts' })
    expect(attempts.length).toBe(6)
  })

  test('limits queries for acceptable keys too', async () => {
    const { client, closed } = await ready(async () => ({ result: 'accept' }), { limits: { authAttempts: 2 } })
    const key = ed25519Key()
    const query = client.publicKeyRequest({ algorithm: key.algorithm, blob: key.blob })
    for (let turn = 0; turn < 5; turn += 1) client.send(query)
    expect(await closed).toMatchObject({ by: 'limit', reason: 'auth-attempts' })
  })

  test('keeps the allowed methods unchanged after a query', async () => {
    const { client } = await ready(async (attempt) =>
      attempt.method === 'publickey' ? { result: 'reject', methods: [] } : { result: 'accept' },
    )
    const key = ed25519Key()
    client.send(client.publicKeyRequest({ algorithm: key.algorithm, blob: key.blob }))
    expect((await failure(client)).methods).toContain('password')
    client.sendPassword('user', 'right')
    expect(await client.authAnswer()).toBe('success')
  })

  test('decides pipelined requests in sequence and limits their number', async () => {
    let running = 0
    let maxRunning = 0
    const { client, closed } = await ready(
      async () => {
        running += 1
        maxRunning = Math.max(maxRunning, running)
        await settle()
        running -= 1
        return { result: 'reject' }
      },
      { limits: { authAttempts: 100 } },
    )
    for (let turn = 0; turn < 10; turn += 1) client.sendPassword('user', `wrong ${turn}`)
    for (let turn = 0; turn < 10; turn += 1) await failure(client)
    expect(maxRunning).toBe(1)
    for (let turn = 0; turn < 40; turn += 1) client.sendPassword('user', 'wrong')
    expect(await closed).toMatchObject({ by: 'limit', reason: 'auth-pipeline' })
  })
})

describe('keyboard-interactive', () => {
  const asking: Decide = async (attempt) => {
    if (attempt.method !== 'keyboard-interactive') return { result: 'reject' }
    const answers = await attempt.prompt('', '', [
      { text: 'One', echo: true },
      { text: 'Two', echo: false },
    ])
    return { result: answers.join() === '1,2' ? 'accept' : 'reject' }
  }
  const begin = (client: TestClient) => client.authRequest('user', 'keyboard-interactive').string('').string('').done()
  const response = () => new WireWriter().byte(n.MSG_USERAUTH_INFO_RESPONSE)

  test('passes answers to the handler in order', async () => {
    const { client } = await ready(asking)
    client.send(begin(client))
    await client.next(n.MSG_USERAUTH_INFO_REQUEST)
    client.send(response().uint32(2).string('1').string('2').done())
    expect(await client.authAnswer()).toBe('success')
  })

  test.each([
    ['too few answers', response().uint32(1).string('1')],
    ['a huge count', response().uint32(0xffff_ffff)],
    ['truncated answers', response().uint32(2).string('1')],
    ['trailing bytes after the answers', response().uint32(2).string('1').string('2').byte(0)],
    ['answers that are not UTF-8', response().uint32(2).string(Uint8Array.of(0xff)).string('2')],
    ['nothing', response()],
  ])('ends the connection on %s', async (_name, malformed) => {
    const { client, closed } = await ready(asking)
    client.send(begin(client))
    await client.next(n.MSG_USERAUTH_INFO_REQUEST)
    client.send(malformed.done())
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'malformed-packet' })
  })

  test('ends the connection on an answer without a prompt', async () => {
    const { client, closed } = await ready(asking)
    client.send(response().uint32(0).done())
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'unexpected-message' })
  })

  test('another request abandons the pending prompts without an answer', async () => {
    let outcome = ''
    const { client } = await ready(async (attempt) => {
      if (attempt.method !== 'keyboard-interactive') return { result: 'accept' }
      await attempt.prompt('', '', [{ text: 'One', echo: true }]).catch((error: unknown) => {
        outcome = String(error)
      })
      return { result: 'accept' }
    })
    client.send(begin(client))
    await client.next(n.MSG_USERAUTH_INFO_REQUEST)
    client.sendPassword('user', 'right')
    expect(await client.authAnswer()).toBe('success')
    expect(outcome).toContain('abandoned')
  })

  test('sends no second round to a client that has moved on', async () => {
    const between = Promise.withResolvers<void>()
    const { client } = await ready(async (attempt) => {
      if (attempt.method !== 'keyboard-interactive') return { result: 'accept' }
      await attempt.prompt('', '', [])
      await between.promise
      await attempt.prompt('', '', [])
      return { result: 'reject' }
    })
    client.send(begin(client))
    await client.next(n.MSG_USERAUTH_INFO_REQUEST)
    client.send(response().uint32(0).done())
    client.sendPassword('user', 'right')
    await settle()
    between.resolve()
    expect(await client.authAnswer()).toBe('success')
  })

  test('a prompt function retained beyond its attempt rejects', async () => {
    let kept: (() => Promise<readonly string[]>) | undefined
    const { client } = await ready(async (attempt) => {
      if (attempt.method === 'keyboard-interactive') kept = () => attempt.prompt('', '', [])
      return { result: 'reject' }
    })
    client.send(begin(client))
    await failure(client)
    await expect(kept?.()).rejects.toThrow('the attempt is over')
  })

  test('rejects pending prompts when the connection ends', async () => {
    let outcome = ''
    const { client, closed, serverSocket } = await ready(async (attempt) => {
      if (attempt.method === 'keyboard-interactive') {
        await attempt.prompt('', '', []).catch((error: unknown) => {
          outcome = String(error)
        })
      }
      return { result: 'reject' }
    })
    client.send(begin(client))
    await client.next(n.MSG_USERAUTH_INFO_REQUEST)
    serverSocket.destroy()
    await closed
    await settle()
    expect(outcome).toContain('abandoned')
  })
})

describe('a client that requests the service before each method', () => {
  const request = () => new WireWriter().byte(n.MSG_SERVICE_REQUEST).string('ssh-userauth').done()

  test('goes on where it was: attempts are counted over all requests', async () => {
    const { client, closed, attempts } = await ready(rejectAll)
    for (let i = 0; ; i += 1) {
      client.sendPassword('user', `wrong ${i}`)
      if ((await client.next(n.MSG_USERAUTH_FAILURE, n.MSG_DISCONNECT))[0] === n.MSG_DISCONNECT) break
      client.send(request())
      await client.next(n.MSG_SERVICE_ACCEPT)
    }
    expect(await closed).toMatchObject({ reason: 'auth-attempts' })
    expect(attempts.length).toBeGreaterThan(1)
  })
})

describe('client violations', () => {
  test('ends the connection when the client changes the user name', async () => {
    const { client, closed, attempts } = await ready(rejectAll)
    client.sendPassword('user', 'wrong')
    await failure(client)
    client.sendPassword('root', 'right')
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'user-changed' })
    expect(attempts.length).toBe(1)
  })

  const request = () => new WireWriter().byte(n.MSG_SERVICE_REQUEST).string('ssh-userauth').done()

  test('ends the connection when the client requests the service after it has succeeded', async () => {
    const { client, closed } = await ready(async () => ({ result: 'accept' }))
    client.sendPassword('user', 'right')
    await client.next(n.MSG_USERAUTH_SUCCESS)
    client.send(request())
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'unexpected-message' })
  })

  test('ends the connection when the client requests the service without end', async () => {
    const { client, closed, attempts } = await ready(rejectAll)
    for (let i = 0; i < 64; i += 1) client.send(request())
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'unexpected-message' })
    expect(attempts).toEqual([])
  })

  test('ends the connection when the client requests ssh-connection first, or another service', async () => {
    const early = connect()
    await early.client.handshake()
    early.client.send(new WireWriter().byte(n.MSG_SERVICE_REQUEST).string('ssh-connection').done())
    expect(await early.closed).toMatchObject({ by: 'protocol', reason: 'unknown-service' })

    const { client, closed } = await ready(rejectAll)
    client.send(new WireWriter().byte(n.MSG_USERAUTH_REQUEST).string('user').string('ssh-other').string('none').done())
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'unknown-service' })
  })

  test.each([
    ['authenticating before requesting the service', new WireWriter().byte(n.MSG_USERAUTH_REQUEST)],
    ['opening a channel before authentication', new WireWriter().byte(n.MSG_CHANNEL_OPEN)],
    ['a global request before authentication', new WireWriter().byte(n.MSG_GLOBAL_REQUEST)],
    ['channel data before authentication', new WireWriter().byte(n.MSG_CHANNEL_DATA)],
    ['a success message from the client', new WireWriter().byte(n.MSG_USERAUTH_SUCCESS)],
  ])('ends the connection on %s', async (_name, message) => {
    const { client, closed, connection } = connect()
    await client.handshake()
    client.send(message.done())
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'unexpected-message' })
    expect(connection.user).toBeUndefined()
  })

  test('ignores authentication as another user after sign-in', async () => {
    const { client, connection, attempts } = await ready(async () => ({ result: 'accept' }))
    client.sendPassword('user', 'right')
    await client.next(n.MSG_USERAUTH_SUCCESS)
    client.sendPassword('root', 'right')
    await client.openSession()
    expect(connection.user).toBe('user')
    expect(attempts.length).toBe(1)
  })

  test('ends the connection when the client opens a channel while a decision is pending', async () => {
    const { client, closed } = await ready(() => new Promise(() => undefined))
    client.sendPassword('user', 'right')
    client.sendOpen('session', 0)
    expect(await closed).toMatchObject({ by: 'protocol', reason: 'unexpected-message' })
  })
})
