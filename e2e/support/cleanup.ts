// Undoes what a test file created, in reverse order, also when setup or another cleanup failed.
import { afterAll } from 'vitest'

/** Registers the hook. Call at the top of a file, and call the returned function with each cleanup. */
export function cleanups(): (undo: () => unknown) => void {
  const undos: (() => unknown)[] = []
  afterAll(async () => {
    const errors: unknown[] = []
    for (const undo of undos.splice(0).toReversed()) {
      try {
        await undo()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'not everything could be removed')
  })
  return (undo) => void undos.push(undo)
}
