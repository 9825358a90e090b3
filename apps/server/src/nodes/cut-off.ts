// Whether this node alone is cut off from the database, so that others give its devices away while it still serves them.
// It cannot read that in the database; the other nodes tell it over their standing links. A node that finds itself cut
// off stops serving before its lease ends.
import type { Clock } from '@bowline/base/clock'

/** Between looks. */
const LOOK_MS = 1_000
/** This long before the end of its lease a node begins to ask. */
const ASK_BEFORE_MS = 5_000
/** This long before the end of its lease a node stops serving: one look, and the time that stopping takes. */
const STOP_BEFORE_MS = 2_000

/**
 * What another node says of its own lease: for how long it has renewed it without a gap, in ms; 0 if it cannot now.
 * `unknown`: it does not understand the question.
 */
export type LeaseAnswer = { readonly steadyMs: number } | 'unreachable' | 'unknown'

export interface CutOffDeps {
  readonly clock: Clock
  /** Life of a lease without renewal; also for how long others renew their own before they judge. */
  readonly deadMs: number
  /** Monotonic time of the last renewal. */
  readonly renewedAt: () => number
  /** Asks the nodes that were alive at the last renewal. None: nobody could take over. */
  readonly askOthers: () => Promise<readonly LeaseAnswer[]>
  /** Called once when this node is cut off. */
  readonly cut: () => void
}

export interface CutOff {
  /** True from being cut off until {@link renewed}. */
  readonly isCut: boolean
  /** The lease has been renewed. */
  renewed(): void
  stop(): void
}

/**
 * True if the others may give this node's devices away when its lease ends: one of them renews its lease and has done so
 * for long enough to judge, or none can be reached. A node that is apart from the database and from everybody must assume
 * that they are not apart from each other.
 * @param needsMs for how long a node that judges has renewed
 */
export function isGivenAway(answers: readonly LeaseAnswer[], needsMs: number): boolean {
  if (answers.length === 0) return false
  if (answers.every((answer) => answer === 'unreachable')) return true
  return answers.some((answer) => typeof answer === 'object' && answer.steadyMs >= needsMs)
}

export function createCutOff({ clock, deadMs, renewedAt, askOthers, cut }: CutOffDeps): CutOff {
  let isCut = false
  let isAsking = false
  /** Of the last round of questions since the renewal. */
  let answers: readonly LeaseAnswer[] = []

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    const of = renewedAt()
    const heard = await askOthers().finally(() => (isAsking = false))
    if (of === renewedAt()) answers = heard
    look()
  }

  function look(): void {
    const lapsedMs = clock.monotonic() - renewedAt()
    if (isCut || lapsedMs < deadMs - STOP_BEFORE_MS || !isGivenAway(answers, deadMs - STOP_BEFORE_MS)) return
    isCut = true
    cut()
  }

  const stop = clock.every(LOOK_MS, () => {
    if (isCut || clock.monotonic() - renewedAt() < deadMs - ASK_BEFORE_MS) return
    look()
    // Asking rejects never; what throws is a defect that must not stay silent.
    void ask()
  })
  return {
    get isCut() {
      return isCut
    },
    renewed() {
      isCut = false
      answers = []
    },
    stop,
  }
}
