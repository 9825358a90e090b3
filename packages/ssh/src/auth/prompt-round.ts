// Keyboard-interactive rounds (RFC 4256): one info request at a time, answered or abandoned.
import type { Prompt } from '../api.ts'
import { protocolFault } from '../fault.ts'
import { MSG_USERAUTH_INFO_REQUEST } from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'

const ANSWER_BYTES = 4_096

interface OpenRound {
  readonly count: number
  resolve(answers: readonly string[]): void
  reject(error: Error): void
}

/** Sends one round; rejects when the client switches to another method or the attempt or connection ends. */
export type AskRound = (name: string, instruction: string, prompts: readonly Prompt[]) => Promise<readonly string[]>

export class PromptRounds {
  readonly #send: (payload: Uint8Array) => void
  #open: OpenRound | undefined
  /** The attempt that may send prompts. */
  #current: object | undefined

  constructor(send: (payload: Uint8Array) => void) {
    this.#send = send
  }

  /** A round is waiting for its answers. */
  get asking(): boolean {
    return this.#open !== undefined
  }

  /** The `prompt` of one attempt; it rejects once the attempt is over. */
  conversation(): AskRound {
    const mine = {}
    this.#current = mine
    return (name, instruction, prompts) => {
      if (this.#current !== mine) return Promise.reject(new Error('the attempt is over'))
      return this.#ask(name, instruction, prompts)
    }
  }

  #ask(name: string, instruction: string, prompts: readonly Prompt[]): Promise<readonly string[]> {
    if (this.#open) return Promise.reject(new Error('a round of questions is already open'))
    const message = new WireWriter(256).byte(MSG_USERAUTH_INFO_REQUEST).string(name).string(instruction).string('')
    message.uint32(prompts.length)
    for (const { text, echo } of prompts) message.string(text).boolean(echo)
    return new Promise((resolve, reject) => {
      this.#open = { count: prompts.length, resolve, reject }
      this.#send(message.done())
    })
  }

  /**
   * Handles SSH_MSG_USERAUTH_INFO_RESPONSE.
   * @throws {Fault} when no round is open or the number of answers is wrong
   */
  answer(payload: Uint8Array): void {
    const round = this.#open
    if (!round) throw protocolFault('unexpected-message', 'An answer arrived although nothing was asked.')
    const reader = new WireReader(payload, 1)
    if (reader.uint32('number of answers') !== round.count) {
      throw protocolFault('malformed-packet', 'The number of answers differs from the number of questions.')
    }
    const answers: string[] = []
    for (let index = 0; index < round.count; index += 1) answers.push(reader.text('answer', ANSWER_BYTES))
    reader.end('answers')
    this.#open = undefined
    round.resolve(answers)
  }

  /** Ends the conversation; an open round gets no answer. */
  abandon(): void {
    this.#current = undefined
    const round = this.#open
    this.#open = undefined
    round?.reject(new Error('the client abandoned the questions'))
  }
}
