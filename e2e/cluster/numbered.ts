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
  const lines = seconds * LINES_PER_SECOND
  const wanted = createHash('sha256')
  for (let line = 0; line < lines; line += 1) wanted.update(`${line}\n`)
  // The device is this machine.
  const mark = join(tmpdir(), `bowline-e2e-numbered-${randomUUID()}`)
  const output = pipeThrough(
    target,
    `touch ${mark}; python3 -c 'import time
for second in range(${seconds}):
  for line in range(${LINES_PER_SECOND}): print(second * ${LINES_PER_SECOND} + line, flush=True)
  time.sleep(1)'`,
  )
  let refusal: string | undefined
  void output.then(({ code, stderr }) => (refusal = `ssh has ended with ${code}: ${stderr}`))
  await until('the device writes', () => {
    const writes = existsSync(mark)
    if (!writes && refusal !== undefined) throw new Error(refusal)
    return writes
  })
  await rm(mark)
  const session = `${target.login} by port ${target.port}`
  return { ended: output.then(({ code, sha256 }) => ({ session, code, wanted: wanted.digest('hex'), got: sha256 })) }
}
