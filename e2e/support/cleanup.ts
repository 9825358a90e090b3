// What a test file has made is removed in reverse order, also when making the rest of it, or removing some, failed.
import { afterAll } from 'vitest'

/** Registers the hook; call it at the top of a file, and the answer with each thing to undo. */
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
