// What a test's process holds once nothing is left to be collected.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') for (let count = 0; count < 3; count += 1) collect()
}

/** Objects, strings and buffers that are in use, in bytes. */
export function usedBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
