// Traffic of this machine's ssh: a shell's output, a file by SFTP, a forwarded port, a terminal that is recorded.
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { operations } from '@bowline/contract/operations'
import { freePort } from '@bowline/testkit/free-port'
import { finish, scp, startSsh } from '../../support/ssh.ts'
import { until } from '../../support/wait.ts'
import { numberedHash, numberedProgram, startNumbered } from '../numbered.ts'
import { fetchNumbered } from './http.ts'
import type { Ended, Lane, Running } from './lane.ts'

const causeOf = (code: number | null, stderr: string): string => (code === 0 ? '' : `ended with ${code}: ${stderr}`)

async function hashOf(file: string): Promise<string> {
  if (!existsSync(file)) return ''
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Output of a command. */
export async function startShell({ name, target, seconds }: Lane): Promise<{ ended: Running }> {
  const { ended } = await startNumbered(target, seconds)
  return {
    ended: ended.then(({ code, wanted, got }) => ({ session: `shell ${name}`, wanted, got, cause: causeOf(code, '') })),
  }
}

/** A file, by scp's SFTP. */
export async function startSftp(lane: Lane): Promise<{ ended: Running }> {
  const to = join(lane.folder, `fetched-${randomUUID()}`)
  const limit = ['-l', String(lane.kilobitsPerSecond)]
  const copied = scp(lane.target, limit, `host:${lane.file}`, to)
  let isOver = false
  void copied.finally(() => (isOver = true))
  await until('the file begins to arrive', () => isOver || (existsSync(to) && statSync(to).size > 0))
  const ended = copied.then(async ({ code, stderr }): Promise<Ended> => {
    const [wanted, got] = [await hashOf(lane.file), await hashOf(to)]
    await rm(to, { force: true })
    return { session: `sftp ${lane.name}`, wanted, got, cause: causeOf(code, stderr) }
  })
  return { ended }
}

/** HTTP through a forwarded port. */
export async function startForward(lane: Lane): Promise<{ ended: Running }> {
  const port = await freePort()
  const forward = ['-N', '-o', 'ExitOnForwardFailure=yes', '-L', `${port}:127.0.0.1:${lane.service.port}`]
  const child = startSsh(lane.target, [], forward)
  const closed = finish(child)
  const fetched = await until('the port is forwarded', () =>
    fetchNumbered({ port, host: '127.0.0.1' }, lane.seconds).catch(() => undefined),
  )
  const ended = fetched.ended.then(async ({ got, cause }): Promise<Ended> => {
    child.kill()
    await closed
    return { session: `-L ${lane.name}`, wanted: numberedHash(lane.seconds), got, cause }
  })
  return { ended }
}

/** A terminal, judged by its recording: it ends when that is sealed and intact. */
export async function startRecorded(lane: Lane): Promise<{ ended: Running }> {
  const mark = randomUUID()
  const child = startSsh(lane.target, [`: ${mark}; python3 -c '${numberedProgram(lane.seconds)}'`], ['-tt'])
  const result = finish(child)
  const { call, open } = await lane.steady.client()
  const uid = await until('the session is listed', async () => {
    const { body } = await call(operations.sessions.list, { query: { per_page: '100' } })
    return body.find(({ command, recorded }) => recorded && command.includes(mark))?.uid
  })
  const params = { uid, seat: '0' }
  const ended = result.then(async ({ code, stderr }): Promise<Ended> => {
    await until(
      'the recording is sealed',
      () =>
        call(operations.sessions.verifyRecord, { params }).then(
          ({ body }) => body.result === 'intact',
          () => false,
        ),
      // A node that is killed has it on its disk, and runs again when the traffic beside it is through.
      60_000 + lane.seconds * 1_000,
    )
    const played = await until('the recording is played', () =>
      open(operations.sessions.getRecord, { params, query: { format: 'cast3' } }).then(
        (answer) => answer.text(),
        () => undefined,
      ),
    )
    const got = createHash('sha256').update(outputOf(played)).digest('hex')
    return { session: `recording ${lane.name}`, wanted: numberedHash(lane.seconds), got, cause: causeOf(code, stderr) }
  })
  return { ended }
}

/** What a terminal has written, of an asciicast 3. */
function outputOf(cast: string): string {
  return cast
    .split('\n')
    .filter((line) => line.startsWith('['))
    .map((line) => JSON.parse(line) as readonly [number, string, string])
    .flatMap(([, kind, data]) => (kind === 'o' ? [data] : []))
    .join('')
    .replaceAll('\r\n', '\n')
}
