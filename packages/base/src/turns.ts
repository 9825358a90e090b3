// Spreads work over turns of the event loop, so that a burst of it does not stall everything else.

/**
 * @param perTurn how many callers continue in one turn of the event loop
 * @returns a function whose promise resolves when it is the caller's turn: at once where no others wait, in order
 */
export function createTurns(perTurn: number): () => Promise<void> {
  const waiting: (() => void)[] = []
  let taken = 0
  let isScheduled = false
  const nextTurn = (): void => {
    taken = 0
    isScheduled = false
    for (const go of waiting.splice(0, perTurn)) take(go)
  }
  const take = (go: () => void): void => {
    taken += 1
    if (!isScheduled) setImmediate(nextTurn)
    isScheduled = true
    go()
  }
  return () =>
    new Promise((resolve) => {
      if (taken < perTurn && waiting.length === 0) take(resolve)
      else waiting.push(resolve)
    })
}
