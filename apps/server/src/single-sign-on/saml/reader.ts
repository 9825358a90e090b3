// Reads answers of identity providers in a thread: a hostile message may take half a second of a processor, which must
// not delay sessions. One message at a time; sources take turns.
import { Worker } from 'node:worker_threads'
import { fail } from '@bowline/contract/errors'
import type { Clock } from '@bowline/base/clock'
import { sourceKey } from '../../platform/network/address.ts'
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
   * @throws {XmlRefused} with the first reason; {BowlineError} TOO_MANY_REQUESTS when too many wait
   */
  read(task: ReadingTask, source: string): Promise<ProvenPerson>
  close(): Promise<void>
}

interface Job {
  readonly task: ReadingTask
  readonly resolve: (person: ProvenPerson) => void
  readonly reject: (error: Error) => void
}

const HEAP_MEGABYTES = 128
const MAX_MS = 5_000
const MAX_WAITING = 256
const MAX_WAITING_OF_SOURCE = 4

export function createSamlReader(clock: Clock): SamlReader {
  /** In the order in which the sources get their turns. */
  const waiting = new Map<string, Job[]>()
  let count = 0
  let current: Job | undefined
  let worker: Worker | undefined
  let cancelTimeout = (): void => undefined

  function end(job: Job, outcome: ProvenPerson | Error): void {
    if (current !== job) return
    cancelTimeout()
    current = undefined
    if (outcome instanceof Error) job.reject(outcome)
    else job.resolve(outcome)
    startNext()
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

  function startNext(): void {
    const [next] = waiting
    if (current || !next) return
    const [source, [job, ...others]] = next
    waiting.delete(source)
    if (others.length > 0) waiting.set(source, others)
    if (!job) return
    count -= 1
    current = job
    const thread = (worker ??= startWorker())
    cancelTimeout = clock.after(MAX_MS, () => lose(thread, new XmlRefused('reading it takes too long')))
    thread.postMessage(job.task)
  }

  return {
    async read(task, address) {
      const source = sourceKey(address)
      const own = waiting.get(source) ?? []
      if (own.length >= MAX_WAITING_OF_SOURCE || count >= MAX_WAITING) fail('TOO_MANY_REQUESTS', { seconds: 1 })
      const { promise, resolve, reject } = Promise.withResolvers<ProvenPerson>()
      waiting.set(source, [...own, { task, resolve, reject }])
      count += 1
      startNext()
      return promise
    },
    async close() {
      const thread = worker
      worker = undefined
      const stopped = new XmlRefused('the server stops')
      for (const job of [...waiting.values()].flat()) job.reject(stopped)
      waiting.clear()
      count = 0
      if (current) end(current, stopped)
      await thread?.terminate()
    },
  }
}

function outcomeOf(reading: Reading): ProvenPerson | Error {
  if ('person' in reading) return reading.person
  return 'refused' in reading ? new XmlRefused(reading.refused) : new Error(reading.failed)
}
