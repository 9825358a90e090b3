// Requests that we have sent and that wait for their answers, which come in the same order (RFC 4254 sections 4 and 5.4).
import { protocolFault } from '../fault.ts'

interface Waiting<Answer> {
  readonly answered: (answer: Answer) => void
  readonly failed: (error: Error) => void
}

export class SentRequests<Answer> {
  readonly #waiting: Waiting<Answer>[] = []
  #ended: Error | undefined

  /**
   * Waits for the answer to the request that is sent next.
   * @throws {Error} when the channel or connection ends before
   */
  next(): Promise<Answer> {
    return new Promise((answered, failed) => {
      if (this.#ended) failed(this.#ended)
      else this.#waiting.push({ answered, failed })
    })
  }

  /**
   * An answer has arrived.
   * @throws {Fault} `unexpected-message` when nothing waits for one
   */
  answered(type: number, answer: Answer): void {
    const first = this.#waiting.shift()
    if (!first) throw protocolFault('unexpected-message', `Message ${type} answers no request of ours.`)
    first.answered(answer)
  }

  /** No answer will come any more. */
  end(error: Error): void {
    this.#ended ??= error
    for (const { failed } of this.#waiting.splice(0)) failed(error)
  }
}
