// Namespaces that ask for a second factor on the ssh path, and logins that wait there, for tests.
import { operations } from '@bowline/contract/operations'
import type { HeldLogin } from '@bowline/contract/schemas/held-login'
import type { UserId } from '@bowline/contract/schemas/common'
import type { TestClient } from '@bowline/ssh/testing/test-client'
import { type UserKey, ed25519Key } from '@bowline/ssh/testing/user-key'
import * as n from '@bowline/ssh/wire/numbers'
import { WireReader } from '@bowline/ssh/wire/reader'
import { WireWriter } from '@bowline/ssh/wire/writer'
import { until } from '@bowline/testkit/until'
import type { BootedServer, Person } from '../testing/boot.ts'
import { rawClient } from '../testing/gateway.ts'

export const OPENSSH = 'SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3'

/** Asks for the second factor in a person's namespace. */
export async function askForFactor(
  { client, tenant }: Person,
  more: { readonly ssh_second_factor_service_keys?: boolean; readonly ssh_second_factor_hours?: number } = {},
): Promise<void> {
  const settings = { ssh_second_factor: true, ...more }
  await client.call(operations.namespaces.update, { params: { tenant }, body: { settings } })
}

/** Registers a key in a person's namespace. @param owner default: the person; null: a service key */
export async function registerKey(person: Person, key: UserKey, owner?: UserId | null): Promise<void> {
  const line = `${key.publicKey.type} ${Buffer.from(key.blob).toString('base64')}`
  const body = { name: 'a key', username: '.*', filter: { hostname: '.*' }, data: Buffer.from(line).toString('base64') }
  await person.client.call(operations.publicKeys.create, {
    body: { ...body, ...(owner === undefined ? {} : { owner }) },
  })
}

/** A new key of a person. */
export async function ownKey(person: Person): Promise<UserKey> {
  const key = ed25519Key()
  await registerKey(person, key)
  return key
}

/** Messages of the server while a client signs in. */
export const ANSWERS = [
  n.MSG_USERAUTH_BANNER,
  n.MSG_USERAUTH_INFO_REQUEST,
  n.MSG_USERAUTH_SUCCESS,
  n.MSG_USERAUTH_FAILURE,
  n.MSG_DISCONNECT,
] as const

export interface Answer {
  readonly kind: 'banner' | 'question' | 'success' | 'failure' | 'disconnect'
  /** Text of a banner, an instruction or a disconnect; methods of a failure. */
  readonly text: string
  /** Number of prompts of a question. */
  readonly prompts: number
}

/** The server's next answer. */
export async function answerOf(client: TestClient): Promise<Answer> {
  const message = await client.next(...ANSWERS)
  const reader = new WireReader(message, 1)
  const answer = (kind: Answer['kind'], text = '', prompts = 0): Answer => ({ kind, text, prompts })
  switch (message[0]) {
    case n.MSG_USERAUTH_BANNER:
      return answer('banner', reader.text('banner', 4_096))
    case n.MSG_USERAUTH_INFO_REQUEST: {
      reader.text('name', 4_096)
      const text = reader.text('instruction', 4_096)
      reader.text('language', 64)
      return answer('question', text, reader.uint32('prompts'))
    }
    case n.MSG_USERAUTH_SUCCESS:
      return answer('success')
    case n.MSG_USERAUTH_FAILURE:
      return answer('failure', reader.text('methods', 4_096))
    default:
      reader.uint32('code')
      return answer('disconnect', reader.text('message', 4_096))
  }
}

/** A client that has sent a signature by a key. @param from its address */
export async function signing(
  server: BootedServer,
  user: string,
  key: UserKey,
  ident?: string,
  from = '127.0.0.1',
): Promise<TestClient> {
  const client = await rawClient(server, { from, ...(ident !== undefined && { ident }) })
  await client.startAuthentication()
  const { algorithm, blob, sign } = key
  client.send(client.publicKeyRequest({ user, algorithm, blob, signer: sign }))
  return client
}

/** Starts keyboard-interactive. */
export function askedInteractively(client: TestClient, user: string): void {
  client.send(client.authRequest(user, 'keyboard-interactive').string('').string('').done())
}

/** Answers the open question. */
export function reply(client: TestClient, ...answers: readonly string[]): void {
  const message = new WireWriter().byte(n.MSG_USERAUTH_INFO_RESPONSE).uint32(answers.length)
  for (const answer of answers) message.string(answer)
  client.send(message.done())
}

export async function heldLogins({ client }: Person): Promise<HeldLogin[]> {
  return (await client.call(operations.heldLogins.list, {})).body
}

/** The only login that waits for a person, as soon as there is one. */
export async function theHeldLogin(person: Person): Promise<HeldLogin> {
  return until(async () => {
    const [only, ...more] = await heldLogins(person)
    return more.length === 0 ? only : undefined
  })
}

export async function approve({ client }: Person, code: string): Promise<void> {
  await client.call(operations.heldLogins.approve, { params: { code } })
}
