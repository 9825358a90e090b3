// The `auth` stream to a device: credentials one after the other, each with the questions that the device has, and the
// verdict. The stream that has accepted one stays open: it is the login.
import type { Link, LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import { AuthAnswer, type AuthCredential, type AuthReply } from '@bowline/link/stream-messages'
import type { SshConnection } from '@bowline/ssh/api'
import type { Clock } from '@bowline/base/clock'
import type { Person } from './questions.ts'

/** What the device finds in the end; undefined when the stream or the link is gone. */
export type AuthVerdict = Exclude<AuthAnswer, { type: 'prompt' }> | undefined

/** What the device's work and questions need from this side. */
export interface AuthPartner {
  /** Waits for a turn at the device; undefined when too many wait. */
  turn(): Promise<() => void> | undefined
  /** Who answers questions; without one the device may have none. */
  readonly person?: Person
}

export interface AuthStream {
  readonly stream: LinkStream
  usableOn(link: Link): boolean
  /**
   * Has one credential judged. The device has a turn only while it works, never while the person types.
   * @throws {PromptCancelled} when the person does not answer the device's questions; the stream is closed then
   */
  check(credential: AuthCredential, partner: AuthPartner): Promise<AuthVerdict>
}

/** The device answers within this, or the attempt counts as unreachable. */
const ANSWER_MS = 30_000
const MAX_ROUNDS = 32

/** @param lost called when the stream ends */
export function openAuthStream(
  link: Link,
  user: string,
  connection: Pick<SshConnection, 'sessionId' | 'peer'>,
  clock: Clock,
  lost: (cause: LinkCause) => void,
): AuthStream {
  let answer: ((answer: AuthAnswer | undefined) => void) | undefined
  let closed = false
  const breach = (message: string): void => stream.close({ by: 'gateway', reason: 'protocol', message })
  const handler: StreamHandler = {
    data: () => breach('An auth stream carries no bytes.'),
    control(message) {
      const parsed = AuthAnswer.safeParse(message)
      if (parsed.success) answer?.(parsed.data)
      else breach('The answer to a credential is malformed.')
    },
    closed(cause) {
      closed = true
      answer?.(undefined)
      lost(cause)
    },
  }
  const stream = link.open('auth', { session: connection.sessionId, user, remote: connection.peer.address }, handler)

  function exchange(message: LinkMessage): Promise<AuthAnswer | undefined> {
    if (closed) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const cancel = clock.after(ANSWER_MS, () => stream.close())
      answer = (value) => {
        cancel()
        answer = undefined
        resolve(value)
      }
      stream.control(message)
    })
  }

  return {
    stream,
    usableOn: (other) => !closed && other === link,
    async check(credential, partner) {
      let message: AuthCredential | AuthReply = credential
      for (let round = 0; round <= MAX_ROUNDS; round += 1) {
        const release = await partner.turn()
        if (!release) return abandon({ type: 'denied', reason: 'busy' })
        const found = await exchange({ ...message }).finally(release)
        if (found?.type !== 'prompt') return found
        if (!partner.person) break
        try {
          message = { answers: [...(await partner.person.ask(found))] }
        } catch (error) {
          abandon(undefined)
          throw error
        }
      }
      breach('The device asks more than it may.')
      return undefined
    },
  }

  /** Ends a conversation that the device still waits in. */
  function abandon(verdict: AuthVerdict): AuthVerdict {
    stream.close({ by: 'user', reason: 'abandoned', message: 'The person has turned away.' })
    return verdict
  }
}
