// What would be lost if the page were left: open terminals. The browser asks before it leaves, and the console does not
// load itself anew.

const holds = new Set<() => boolean>()

/**
 * @param isHeld whether something would be lost right now
 * @returns ends it
 */
export function holdPage(isHeld: () => boolean): () => void {
  holds.add(isHeld)
  return () => holds.delete(isHeld)
}

export function isPageHeld(): boolean {
  return [...holds].some((isHeld) => isHeld())
}

/** The browser asks people whether they want to leave while something would be lost. */
export function askBeforeLeaving(): void {
  addEventListener('beforeunload', (event) => {
    if (isPageHeld()) event.preventDefault()
  })
}
