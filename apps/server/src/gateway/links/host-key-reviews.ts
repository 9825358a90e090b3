// Reviews of host keys: a login on a device without an agent ends when its SSH server has proved a key that is not the
// accepted one any more.
import type { Clock } from '@bowline/base/clock'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { Log } from '../../platform/log.ts'

/** The logins of one link, as reviews need them. */
export interface HostKeyUsers {
  /** False: there is nothing to review. */
  readonly hasLogins: boolean
  /** Ends the logins whose SSH server has proved another key. @param hostKey wire encoding */
  requireHostKey(hostKey: Uint8Array): void
}

export interface HostKeyReviewsDeps {
  /** Accepted host keys; devices without one are omitted. Rejects when the database does not answer. */
  readonly hostKeysOf: (uids: readonly DeviceUid[]) => Promise<ReadonlyMap<DeviceUid, Uint8Array>>
  readonly clock: Clock
  readonly log: Log
}

/** Delay before a review is repeated after a failure of the database. */
const RETRY_MS = 1_000

export class HostKeyReviews {
  readonly #deps: HostKeyReviewsDeps
  readonly #links = new Map<DeviceUid, Set<HostKeyUsers>>()
  readonly #due = new Set<DeviceUid>()
  #isWorking = false

  constructor(deps: HostKeyReviewsDeps) {
    this.#deps = deps
  }

  /** Registers a link. @returns unregister */
  add(uid: DeviceUid, users: HostKeyUsers): () => void {
    const ofDevice = this.#links.get(uid) ?? new Set()
    this.#links.set(uid, ofDevice.add(users))
    return () => {
      ofDevice.delete(users)
      if (ofDevice.size === 0 && this.#links.get(uid) === ofDevice) this.#links.delete(uid)
    }
  }

  /** @param device undefined: all devices */
  run(device?: DeviceUid): void {
    for (const uid of device === undefined ? this.#links.keys() : [device]) if (this.#isUsed(uid)) this.#due.add(uid)
    if (this.#due.size > 0 && !this.#isWorking) void this.#work()
  }

  #isUsed(uid: DeviceUid): boolean {
    return (
      this.#links
        .get(uid)
        ?.values()
        .some((users) => users.hasLogins) === true
    )
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    while (this.#due.size > 0) {
      const uids = [...this.#due]
      this.#due.clear()
      try {
        for (const [uid, hostKey] of await this.#deps.hostKeysOf(uids)) {
          for (const users of this.#links.get(uid) ?? []) users.requireHostKey(hostKey)
        }
      } catch (error) {
        this.#deps.log.error('session.error', { err: error })
        await new Promise<void>((resolve) => this.#deps.clock.after(RETRY_MS, resolve))
        for (const uid of uids) if (this.#isUsed(uid)) this.#due.add(uid)
      }
    }
    this.#isWorking = false
  }
}
