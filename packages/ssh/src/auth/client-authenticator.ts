// The client's side of the ssh-userauth service (RFC 4252, 4256): one credential at a time, until one succeeds.
import type { AuthOutcome, ClientCredential, ClientSigner, PromptRound } from '../client-api.ts'
import { ask } from '../embedder.ts'
import { type Fault, faultOf, limitFault, protocolFault } from '../fault.ts'
import * as n from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import { readPromptRound } from './client-prompts.ts'

const SERVICE = 'ssh-connection'
const METHOD_LIST_BYTES = 1_024
const BANNER_BYTES = 32_768
const MAX_BANNERS = 16
/** Rounds of questions of one credential. */
const MAX_ROUNDS = 32

export interface ClientAuthSetup {
  readonly sessionId: Buffer
  /** Signature algorithms that the server accepts; undefined when it has not said (RFC 8308 section 3.1). */
  userSignatureAlgorithms(): readonly string[] | undefined
}

export interface ClientAuthEvents {
  banner(text: string): void
  accepted(): void
  send(payload: Uint8Array): void
  fail(fault: Fault): void
}

interface Attempt {
  readonly credential: ClientCredential
  readonly settle: (outcome: AuthOutcome) => void
  readonly failed: (error: Error) => void
  rounds: number
  /** A round of questions is with the embedding program. */
  isAnswering: boolean
}

export class ClientAuthenticator {
  readonly #setup: ClientAuthSetup
  readonly #events: ClientAuthEvents
  #attempt: Attempt | undefined
  #banners = 0
  #ended: Error | undefined

  constructor(setup: ClientAuthSetup, events: ClientAuthEvents) {
    this.#setup = setup
    this.#events = events
  }

  /** @throws {Error} when another credential is under way, or the connection ends before the answer */
  authenticate(user: string, credential: ClientCredential): Promise<AuthOutcome> {
    if (this.#ended) return Promise.reject(this.#ended)
    if (this.#attempt) return Promise.reject(new Error('another credential is under way'))
    return new Promise((settle, failed) => {
      const attempt: Attempt = { credential, settle, failed, rounds: 0, isAnswering: false }
      this.#attempt = attempt
      this.#begin(user, credential).catch((error: unknown) => {
        if (this.#attempt !== attempt) return
        this.#attempt = undefined
        failed(error instanceof Error ? error : new Error('the key could not sign'))
      })
    })
  }

  /**
   * Handles messages 51 to 61.
   * @throws {Fault} when nothing asked for it
   */
  message(type: number, payload: Buffer): void {
    if (type === n.MSG_USERAUTH_BANNER) return this.#banner(payload)
    const attempt = this.#attempt
    if (!attempt) throw protocolFault('unexpected-message', `Message ${type} answers no credential.`)
    if (type === n.MSG_USERAUTH_SUCCESS) {
      this.#attempt = undefined
      this.#events.accepted()
      return attempt.settle({ result: 'success' })
    }
    if (type === n.MSG_USERAUTH_FAILURE) return this.#failure(payload, attempt)
    if (type !== n.MSG_USERAUTH_INFO_REQUEST) {
      throw protocolFault('unexpected-message', `Message ${type} is out of order during authentication.`)
    }
    const { credential } = attempt
    if (credential.method === 'keyboard-interactive')
      return this.#ask(payload, attempt, (round) => credential.answer(round))
    if (credential.method === 'password') return this.#finish(attempt, { ...refused([]), passwordExpired: true })
    throw protocolFault('unexpected-message', 'The server asks for what the credential does not have.')
  }

  /** The connection has ended. */
  end(error: Error): void {
    this.#ended ??= error
    const attempt = this.#attempt
    this.#attempt = undefined
    attempt?.failed(error)
  }

  async #begin(user: string, credential: ClientCredential): Promise<void> {
    const request = (): WireWriter =>
      new WireWriter(256).byte(n.MSG_USERAUTH_REQUEST).string(user).string(SERVICE).string(credential.method)
    switch (credential.method) {
      case 'none':
        return this.#events.send(request().done())
      case 'password':
        return this.#events.send(request().boolean(false).string(credential.password).done())
      case 'keyboard-interactive':
        return this.#events.send(request().string('').string('').done())
      default:
        return this.#sign(request(), credential.signer)
    }
  }

  /** RFC 4252 section 7: the signature covers the session identifier and the request without it. */
  async #sign(request: WireWriter, signer: ClientSigner): Promise<void> {
    const accepted = this.#setup.userSignatureAlgorithms()
    const algorithm = signer.algorithms.find((name) => accepted?.includes(name) ?? true) ?? signer.algorithms[0]
    if (algorithm === undefined) throw new TypeError('signer: names no algorithm')
    const signedPart = request.boolean(true).string(algorithm).string(signer.blob).done()
    const message = new WireWriter(signedPart.length + 64).string(this.#setup.sessionId).bytes(signedPart).done()
    const signature = await signer.sign(algorithm, message)
    if (this.#ended) return
    this.#events.send(new WireWriter(signedPart.length + 256).bytes(signedPart).string(signature).done())
  }

  #banner(payload: Buffer): void {
    this.#banners += 1
    if (this.#banners > MAX_BANNERS) throw limitFault('auth-pipeline', 'The server sent too many banners.')
    this.#events.banner(new WireReader(payload, 1).text('banner', BANNER_BYTES))
  }

  #failure(payload: Buffer, attempt: Attempt): void {
    const reader = new WireReader(payload, 1)
    const methods = reader.nameList('methods', METHOD_LIST_BYTES)
    const partial = reader.boolean('partial success')
    this.#finish(attempt, { result: 'failure', methods, partial })
  }

  #finish(attempt: Attempt, outcome: AuthOutcome): void {
    this.#attempt = undefined
    attempt.settle(outcome)
  }

  #ask(payload: Buffer, attempt: Attempt, answer: (round: PromptRound) => Promise<readonly string[]>): void {
    attempt.rounds += 1
    if (attempt.isAnswering || attempt.rounds > MAX_ROUNDS) {
      throw limitFault('auth-pipeline', 'The server asks too many questions.')
    }
    attempt.isAnswering = true
    const round = readPromptRound(payload)
    void ask(() => answer(round)).then((answers) => {
      attempt.isAnswering = false
      if (this.#attempt !== attempt || this.#ended) return
      // RFC 4256 section 3.4: a wrong number of answers fails the method, which is how a client gives it up.
      const response = new WireWriter(128).byte(n.MSG_USERAUTH_INFO_RESPONSE)
      const given = answers?.length === round.prompts.length ? answers : round.prompts.map(() => '')
      response.uint32(given.length)
      for (const text of given) response.string(text)
      try {
        this.#events.send(response.done())
      } catch (error) {
        this.#events.fail(faultOf(error))
      }
    })
  }
}

const refused = (methods: readonly string[]) => ({ result: 'failure' as const, methods, partial: false })
