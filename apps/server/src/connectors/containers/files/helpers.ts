// Helpers of one session, each with a few descriptors: shells have single digits for them.
import { STATUS } from '@bowline/sftp/protocol'
import { Refusal } from '@bowline/sftp/status'
import { Helper, type HelperParts } from './helper.ts'

const DESCRIPTORS = [3, 4, 5, 6, 7, 8, 9] as const
const MAX_HELPERS = 8
/** Files that a session may have open at once. */
export const MAX_FILES = DESCRIPTORS.length * MAX_HELPERS

/** A descriptor of a helper. */
export interface Place {
  readonly helper: Helper
  readonly fd: number
}

export class Helpers {
  readonly #parts: HelperParts
  readonly #free: Place[] = []
  readonly #started: Promise<Helper>[] = []
  #closed = false

  constructor(parts: HelperParts) {
    this.#parts = parts
  }

  /** The one that does what needs no open file. @throws {EngineError} */
  first(): Promise<Helper> {
    return this.#started[0] ?? this.#start()
  }

  /** @throws {Refusal} when too many files are open; {EngineError} */
  async take(): Promise<Place> {
    await this.first()
    if (this.#free.length === 0) {
      if (this.#started.length >= MAX_HELPERS) throw new Refusal(STATUS.failure)
      await this.#start()
    }
    const place = this.#free.pop()
    if (!place) throw new Refusal(STATUS.failure)
    return place
  }

  give(place: Place): void {
    this.#free.push(place)
  }

  close(): void {
    this.#closed = true
    for (const started of this.#started) started.then((helper) => helper.close()).catch(() => undefined)
  }

  #start(): Promise<Helper> {
    const started = Helper.start(this.#parts).then((helper) => {
      if (this.#closed) helper.close()
      for (const fd of DESCRIPTORS) this.#free.unshift({ helper, fd })
      return helper
    })
    this.#started.push(started)
    return started
  }
}
