// Reads answers of identity providers in a thread: a hostile message may take half a second of a processor, which must
// not delay sessions. One message at a time; networks take turns, since a hostile one has as many sources as it likes.
import { Worker } from 'node:worker_threads'
import { fail } from '@bowline/contract/errors'
import type { Clock } from '@bowline/base/clock'
import { Semaphore } from '@bowline/base/semaphore'
import { networkKey } from '../../platform/network/address.ts'
import type { ProvenPerson } from './assertion.ts'
import type { ResponseRules } from './response.ts'
import { XmlRefused } from './xml-tree.ts'

export interface ReadingTask {
  /** The form field SAMLResponse. */
  readonly field: string
  /** Id of the request that it must answer; undefined when it answers none. */
  readonly inResponseTo: string | undefined
  readonly rules: Omit<ResponseRules, 'requestId'>
}

/** What the thread answers: the person, or why the message is refused. */
export type Reading = { readonly person: ProvenPerson } | { readonly refused: string } | { readonly failed: string }

export interface SamlReader {
  /**
   * @param source address of the browser
   * @param closed aborted when the browser's request closes: a message that waits is not read then
   * @throws {XmlRefused} with the first reason; {BowlineError} TOO_MANY_REQUESTS when too many wait
   */
  read(task: ReadingTask, source: string, closed?: AbortSignal): Promise<ProvenPerson>
  close(): Promise<void>
}

interface Job {
  readonly resolve: (person: ProvenPerson) => void
  readonly reject: (error: Error) => void
}

const HEAP_MEGABYTES = 128
const MAX_MS = 5_000
/** When as many wait, the newest one of the network with the most makes room for another network. */
const MAX_WAITING = 50

export function createSamlReader(clock: Clock): SamlReader {
  const turns = new Semaphore(1, MAX_WAITING)
  let isClosed = false
  let current: Job | undefined
  let worker: Worker | undefined
  let cancelTimeout = (): void => undefined

  function end(job: Job, outcome: ProvenPerson | Error): void {
    if (current !== job) return
    cancelTimeout()
    current = undefined
    if (outcome instanceof Error) job.reject(outcome)
    else job.resolve(outcome)
  }

  /** Ends a thread that takes too long or has died; the next job gets a new one. */
  function lose(thread: Worker, error: Error): void {
    if (worker !== thread) return
    worker = undefined
    void thread.terminate()
    if (current) end(current, error)
  }

  function startWorker(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MEGABYTES }
    const thread = new Worker(new URL('./reader-thread.ts', import.meta.url), { resourceLimits, execArgv: [] })
    const onEnd = (): void => lose(thread, new XmlRefused('reading it needs too much memory'))
    thread.on('error', onEnd).on('exit', onEnd)
    thread.on('message', (reading: Reading) => {
      // A late answer of a thread that was given up is of an earlier message, about another person.
      if (worker === thread && current) end(current, outcomeOf(reading))
    })
    thread.unref()
    return thread
  }

  function readNow(task: ReadingTask): Promise<ProvenPerson> {
    if (isClosed) throw new XmlRefused('the server stops')
    const { promise, resolve, reject } = Promise.withResolvers<ProvenPerson>()
    current = { resolve, reject }
    const thread = (worker ??= startWorker())
    cancelTimeout = clock.after(MAX_MS, () => lose(thread, new XmlRefused('reading it takes too long')))
    thread.postMessage(task)
    return promise
  }

  return {
    async read(task, source, closed) {
      const release = await turns.acquire(networkKey(source), closed)
      if (!release) return fail('TOO_MANY_REQUESTS', { seconds: 1 })
      try {
        return await readNow(task)
      } finally {
        release()
      }
    },
    async close() {
      isClosed = true
      const thread = worker
      worker = undefined
      if (current) end(current, new XmlRefused('the server stops'))
      await thread?.terminate()
    },
  }
}

function outcomeOf(reading: Reading): ProvenPerson | Error {
  if ('person' in reading) return reading.person
  return 'refused' in reading ? new XmlRefused(reading.refused) : new Error(reading.failed)
}
