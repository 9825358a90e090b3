// Guards against losing state when the page unloads (open terminals): the browser asks for confirmation, and the
// console does not reload itself.

const holds = new Set<() => boolean>()

/**
 * @param isHeld true while something would be lost
 * @returns unregister
 */
export function guardUnload(isHeld: () => boolean): () => void {
  holds.add(isHeld)
  return () => holds.delete(isHeld)
}

export function isUnloadGuarded(): boolean {
  return [...holds].some((isHeld) => isHeld())
}

/** Makes the browser ask for confirmation before unload while something would be lost. */
export function askBeforeLeaving(): void {
  addEventListener('beforeunload', (event) => {
    if (isUnloadGuarded()) event.preventDefault()
  })
}
