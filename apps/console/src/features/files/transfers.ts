// Uploads and downloads of one session: a few at once, the others wait, each with its progress and its end.
import { Semaphore } from '@bowline/base/semaphore'
import { type Store, createStore } from '../../platform/store.ts'
import { announce } from '../../ui/feedback/announce.tsx'
import { describeError } from '../../ui/feedback/describe-error.ts'
import { filesMessages } from './messages.ts'

const texts = filesMessages.transfers

export interface Transfer {
  readonly id: number
  readonly kind: 'upload' | 'download'
  readonly name: string
  /** Bytes. */
  readonly total: number
  readonly done: number
  readonly state: 'waiting' | 'running' | 'finished' | 'cancelled' | 'failed'
  /** Why it failed. */
  readonly error?: string
}

export interface Work {
  readonly signal: AbortSignal
  /** @param done bytes so far */
  readonly progress: (done: number) => void
}

export interface Transfers {
  readonly list: Store<readonly Transfer[]>
  /** @returns whether it finished; a failure stands in the list */
  add(of: Pick<Transfer, 'kind' | 'name' | 'total'>, work: (how: Work) => Promise<void>): Promise<boolean>
  cancel(id: number): void
  cancelAll(): void
  /** Forgets what has ended. */
  clear(): void
  readonly isBusy: () => boolean
}

const AT_ONCE = 2
/** More files than anybody drops on purpose. */
const MAX_WAITING = 1_000
/** Between two looks at the progress. */
const SHOWN_EVERY_MS = 100

export function createTransfers(now: () => number): Transfers {
  const list = createStore<readonly Transfer[]>([])
  const semaphore = new Semaphore(AT_ONCE, MAX_WAITING)
  const running = new Map<number, AbortController>()
  let lastId = 0

  const change = (id: number, to: Partial<Transfer>): void =>
    list.set(list.get().map((one) => (one.id === id ? { ...one, ...to } : one)))

  async function run(id: number, total: number, work: (how: Work) => Promise<void>, signal: AbortSignal) {
    signal.throwIfAborted()
    change(id, { state: 'running' })
    let shownAt = now()
    await work({
      signal,
      progress(done) {
        if (now() - shownAt < SHOWN_EVERY_MS && done < total) return
        shownAt = now()
        change(id, { done })
      },
    })
  }

  return {
    list,
    async add(of, work) {
      lastId += 1
      const id = lastId
      const controller = new AbortController()
      running.set(id, controller)
      list.set([...list.get(), { ...of, id, done: 0, state: 'waiting' }])
      try {
        const isRun = await semaphore.run(async () => {
          await run(id, of.total, work, controller.signal)
          return true
        })
        if (!isRun) throw new Error(texts.tooMany)
        change(id, { state: 'finished' })
        announce(of.kind === 'upload' ? texts.uploaded(of.name) : texts.downloaded(of.name))
        return true
      } catch (error) {
        const isCancelled = controller.signal.aborted
        change(id, isCancelled ? { state: 'cancelled' } : { state: 'failed', error: describeError(error).cause })
        if (!isCancelled) announce(texts.failed(of.name))
        return false
      } finally {
        running.delete(id)
      }
    },
    cancel: (id) => running.get(id)?.abort(),
    cancelAll() {
      for (const controller of running.values()) controller.abort()
    },
    clear: () => list.set(list.get().filter(({ id }) => running.has(id))),
    isBusy: () => running.size > 0,
  }
}
