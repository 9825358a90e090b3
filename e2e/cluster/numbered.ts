// A session whose device writes numbered lines, paced, so that a fault in the middle shows in the output.
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SshTarget, pipeThrough } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import type { Output } from './history/history.ts'

const LINES_PER_SECOND = 1_000

/** Program of the device, for `python3 -c '…'`: writes the lines of a second, waits a second, and so on. */
export const numberedProgram = (seconds: number): string => `import time
for second in range(${seconds}):
  for line in range(${LINES_PER_SECOND}): print(second * ${LINES_PER_SECOND} + line, flush=True)
  time.sleep(1)`

/** The lines of one second. */
export const numberedLines = (second: number): string =>
  Array.from({ length: LINES_PER_SECOND }, (_, line) => `${second * LINES_PER_SECOND + line}\n`).join('')

/** SHA-256 of everything that is written. */
export function numberedHash(seconds: number): string {
  const hash = createHash('sha256')
  for (let second = 0; second < seconds; second += 1) hash.update(numberedLines(second))
  return hash.digest('hex')
}

/**
 * Starts it and waits until the device writes.
 * @param seconds that it writes for
 * @throws {Error} with what ssh has said, when it ends before
 * @returns its exit code, and the hashes of what the device writes and of what has arrived, when it has ended
 */
export async function startNumbered(
  target: SshTarget,
  seconds: number,
): Promise<{ readonly ended: Promise<Output & { readonly code: number | null }> }> {
  // The device is this machine.
  const mark = join(tmpdir(), `bowline-e2e-numbered-${randomUUID()}`)
  const output = pipeThrough(target, `touch ${mark}; python3 -c '${numberedProgram(seconds)}'`)
  let refusal: string | undefined
  void output.then(({ code, stderr }) => (refusal = `ssh has ended with ${code}: ${stderr}`))
  await until('the device writes', () => {
    const writes = existsSync(mark)
    if (!writes && refusal !== undefined) throw new Error(refusal)
    return writes
  })
  await rm(mark)
  const session = `${target.login} by port ${target.port}`
  return { ended: output.then(({ code, sha256 }) => ({ session, code, wanted: numberedHash(seconds), got: sha256 })) }
}
