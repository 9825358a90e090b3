// The `auth` stream to a device: credentials in sequence, each with the device's prompts and its verdict. The stream stays
// open after an accepted credential: it is the login.
import type { Link, LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import { AuthAnswer, type AuthCredential, type AuthReply } from '@bowline/link/stream-messages'
import type { SshConnection } from '@bowline/ssh/api'
import type { Clock } from '@bowline/base/clock'
import type { DeviceWork } from './device-checks.ts'
import { type Person, PromptCancelled } from './questions.ts'

/** The device's final answer; undefined when the stream or the link has closed. */
export type AuthVerdict = Exclude<AuthAnswer, { type: 'prompt' }> | undefined

/** Gateway side of a check. */
export interface AuthPartner {
  /** Waits for a permit to let the device work; undefined when too many wait. */
  permit(work: DeviceWork): Promise<(() => void) | undefined>
  /** Answers questions; without a person the device may ask none. */
  readonly person?: Person
}

export interface AuthStream {
  readonly stream: LinkStream
  usableOn(link: Link): boolean
  /**
   * Has the device check one credential. The device works under a permit, never while the person types. Answers have
   * permits of their own: devices limit the conversations under way, so that a new one, with its permit, may wait there
   * for the end of one that waits here with its answer.
   * @throws {PromptCancelled} when the person does not answer the device's questions; the stream is closed then
   */
  check(credential: AuthCredential, partner: AuthPartner): Promise<AuthVerdict>
}

/** Timeout of a reply; the device then counts as unreachable. */
const ANSWER_MS = 30_000
const MAX_ROUNDS = 32

/**
 * @param lost called when the stream ends
 * @param traced further fields for the device: the trace
 */
export function openAuthStream(
  link: Link,
  user: string,
  connection: Pick<SshConnection, 'sessionId' | 'peer'>,
  clock: Clock,
  lost: (cause: LinkCause) => void,
  traced: { readonly trace?: string } = {},
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
  const open = { session: connection.sessionId, user, remote: connection.peer.address, ...traced }
  const stream = link.open('auth', open, handler)

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
      const work = async (kind: DeviceWork, message: LinkMessage): Promise<AuthVerdict | AuthAnswer> => {
        const release = await partner.permit(kind)
        return release ? exchange(message).finally(release) : abandon({ type: 'denied', reason: 'busy' })
      }
      let found = await work(credential.method === 'password' ? 'password' : 'conversation', { ...credential })
      for (let round = 0; round <= MAX_ROUNDS; round += 1) {
        if (found?.type !== 'prompt') return found
        if (!partner.person || round === MAX_ROUNDS) break
        let reply: AuthReply
        try {
          reply = { answers: [...(await partner.person.ask(found))] }
        } catch (error) {
          // Leaving after an answer does not tell whether it was right: it counts as wrong.
          if (round > 0 && error instanceof PromptCancelled) return abandon({ type: 'denied', reason: 'credential' })
          abandon(undefined)
          throw error
        }
        found = await work('answer', { ...reply })
      }
      breach('The device asks more than it may.')
      return undefined
    },
  }

  /** Ends a conversation in which the device still waits. */
  function abandon(verdict: AuthVerdict): AuthVerdict {
    stream.close({ by: 'user', reason: 'abandoned', message: 'The client gave up.' })
    return verdict
  }
}
