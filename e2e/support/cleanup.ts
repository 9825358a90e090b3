// What a test file has made is removed in reverse order, also when making the rest of it failed.
import { afterAll } from 'vitest'

/** Registers the hook; call it at the top of a file, and the answer with each thing to undo. */
export function cleanups(): (undo: () => unknown) => void {
  const undos: (() => unknown)[] = []
  afterAll(async () => {
    for (const undo of undos.splice(0).toReversed()) await undo()
  })
  return (undo) => void undos.push(undo)
}
