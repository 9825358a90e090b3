// Runs potentially slow C functions on koffi's worker threads.

/**
 * The promise form of a C function. The caller's Buffers stay referenced until the call returns.
 * @param fn from `library.func`
 */
export function onWorker<Result>(fn: {
  readonly async: (...args: unknown[]) => unknown
}): (...args: unknown[]) => Promise<Result> {
  return (...args) =>
    new Promise((resolve, reject) => {
      fn.async(...args, (error: Error | null, result: Result) => {
        if (error) reject(error)
        else resolve(result)
      })
    })
}
