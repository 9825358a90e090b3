// One command on many devices: a session for each, some at a time, and their results.
import { Semaphore } from '@bowline/base/semaphore'
import { type Store, createStore } from '../../platform/store.ts'
import type { PaneDevice } from '../terminal/pane/pane-session.ts'
import { createOutputs } from './outputs.ts'

/** Sessions at a time: each is a connection of this browser and a program on a device. */
const AT_ONCE = 8
/** Results appear together, so that those of thousands of devices do not keep the page busy. */
const SHOWN_MS = 250

export type Outcome =
  | { readonly kind: 'exited'; readonly status: number }
  | { readonly kind: 'killed'; readonly signal: string }
  /** The credential was refused. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** It was not begun, or was ended by the person. */
  | { readonly kind: 'stopped' }

export interface Result {
  readonly device: PaneDevice
  readonly outcome: Outcome
  readonly output: string
  /** There was more output than is kept. */
  readonly isCut: boolean
  readonly milliseconds: number
}

export interface Progress {
  readonly total: number
  /** In the order in which they ended. */
  readonly results: readonly Result[]
  /** It ended early: the first answer to the credential was a refusal. */
  readonly isRefused: boolean
}

export interface Run {
  readonly progress: Store<Progress>
  stop(): void
}

/** Runs the command on one device. Never rejects. */
export type Execute = (device: PaneDevice, signal: AbortSignal) => Promise<Result>

export const isDone = ({ total, results }: Progress): boolean => results.length === total
/** Worth another try: not one that may still run where it was stopped. */
export const hasFailed = (result: Result): boolean => !isSuccess(result) && result.outcome.kind !== 'stopped'
export const isSuccess = ({ outcome }: Result): boolean => outcome.kind === 'exited' && outcome.status === 0

/**
 * Runs a command on all of the devices: one after the other until one has taken the credential, then some at a time. One that a
 * device refuses before that is not tried on the others: a mistyped password would count as an attempt on each of them.
 */
export function runOnAll(devices: readonly PaneDevice[], execute: Execute): Run {
  const progress = createStore<Progress>({ total: devices.length, results: [], isRefused: false })
  const abort = new AbortController()
  const outputs = createOutputs()
  const results: Result[] = []
  let isTrusted = false
  let isRefused = false
  let shown: ReturnType<typeof setTimeout> | undefined

  function settle(result: Result): void {
    const { kind } = result.outcome
    isRefused ||= kind === 'refused' && !isTrusted
    if (kind === 'exited' || kind === 'killed') isTrusted = true
    if (isRefused) abort.abort()
    results.push({ ...result, ...outputs.keep(result) })
    if (results.length === devices.length) show()
    else shown ??= setTimeout(show, SHOWN_MS)
  }

  function show(): void {
    clearTimeout(shown)
    shown = undefined
    progress.set({ total: devices.length, results: [...results], isRefused })
  }

  async function one(device: PaneDevice): Promise<void> {
    settle(abort.signal.aborted ? stopped(device) : await execute(device, abort.signal))
  }

  async function work(): Promise<void> {
    const left = [...devices]
    for (let device = left.shift(); device; device = isTrusted ? undefined : left.shift()) await one(device)
    const begin = new Semaphore(AT_ONCE, left.length)
    await Promise.all(left.map((device) => begin.run(() => one(device))))
  }

  void work()
  return { progress, stop: () => abort.abort() }
}

const stopped = (device: PaneDevice): Result => ({
  device,
  outcome: { kind: 'stopped' },
  output: '',
  isCut: false,
  milliseconds: 0,
})

/** Devices with the same outcome and the same output. */
export interface Same {
  /** Uid of its first device. */
  readonly key: string
  readonly outcome: Outcome
  readonly output: string
  readonly isCut: boolean
  readonly results: readonly Result[]
}

/** The results by what is the same in them, failures first, then by number of devices. */
export function grouped(results: readonly Result[]): Same[] {
  const byOutcome = Map.groupBy(results, ({ outcome }) => JSON.stringify(outcome))
  return [...byOutcome.values()]
    .flatMap((alike) => [...Map.groupBy(alike, ({ output }) => output).values()])
    .map(groupOf)
    .toSorted(byNeed)
}

function groupOf(results: readonly Result[]): Same {
  const [first] = results as [Result]
  const { device, outcome, output } = first
  return { key: device.uid, outcome, output, isCut: results.some(({ isCut }) => isCut), results }
}

const needOf = ({ results: [first] }: Same): number => (first && isSuccess(first) ? 1 : 0)
const byNeed = (one: Same, other: Same): number =>
  needOf(one) - needOf(other) || other.results.length - one.results.length
