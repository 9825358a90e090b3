// Recordings for the player: a real session, and one whose file is replaced by a long one while it runs, so that the
// server indexes ten hours without a ten-hour session. That one has no seal, and verifies as altered.
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createEventLines, headerLine } from '@bowline/asciicast/write'
import { operations } from '@bowline/contract/operations'
import { type SessionUid, TenantId } from '@bowline/contract/schemas/common'
import type { Session } from '@bowline/contract/schemas/session'
import type { Product } from '../support/product.ts'
import { startSsh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'

export const HOURS = 10
const WORDS = 'disk service network kernel update package module start stop reload listen accept queue cache'.split(' ')

/** Output of a terminal that counts seconds for ten hours, of about that many bytes. */
export function longCast(bytes: number): string {
  const lines = createEventLines()
  const seconds = HOURS * 3_600
  const words = Math.max(1, Math.floor((bytes / seconds - 30) / 8))
  const parts = [headerLine({ columns: 100, rows: 30, term: 'xterm-256color', timestamp: 1_700_000_000 })]
  for (let second = 0; second <= seconds; second += 1) {
    const output = Array.from({ length: words }, (_, word) => WORDS[(second * 7 + word * 3) % WORDS.length]).join(' ')
    parts.push(lines.next('o', `${output}\r\n\u001b[3${second % 7}mtick ${second}\u001b[0m\r\n`, second * 1_000))
  }
  return parts.join('')
}

/** Turns recording on for the product's namespace. */
export async function switchRecordingOn(product: Product): Promise<void> {
  const { call } = await product.client()
  const params = { tenant: TenantId.parse(product.tenant) }
  await call(operations.namespaces.update, { params, body: { settings: { session_record: true } } })
}

/** Runs a session with some output: `during` is called while it waits for input, and ends it. */
export async function recordSession(
  product: Product,
  command: string,
  during: (session: Session, type: (text: string) => void) => Promise<void>,
): Promise<SessionUid> {
  const { call } = await product.client()
  const known = new Set((await call(operations.sessions.list, {})).body.map(({ uid }) => uid))
  const target = {
    ...product.ssh,
    login: `${userInfo().username}@${product.sshid}`,
    password: product.device_password,
  }
  const child = startSsh(target, [`${command}; echo ready; stty -echo; exec cat`], ['-tt'])
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise((resolve) => child.once('close', resolve))
  await until('the session is ready', () => output.includes('ready'))
  const session = await until('the session is recorded', async () => {
    const { body } = await call(operations.sessions.list, {})
    return body.find(({ uid, recorded }) => !known.has(uid) && recorded)
  })
  await during(session, (text) => child.stdin.write(text))
  child.stdin.end('\u0004')
  await ended
  return session.uid
}

/** Replaces the file of the newest recording. */
export async function exchangeRecording({ dataFolder }: Product, cast: string): Promise<void> {
  const file = await newestRecording(dataFolder)
  await writeFile(`${file}.new`, cast)
  await rm(file)
  await rename(`${file}.new`, file)
}

export async function newestRecording(dataFolder: string): Promise<string> {
  const folder = join(dataFolder, 'recordings')
  const files = (await readdir(folder)).filter((name) => name.endsWith('.cast')).map((name) => join(folder, name))
  const born = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file)).birthtimeMs })))
  return born.toSorted((a, b) => b.at - a.at)[0]?.file ?? ''
}

/**
 * Asks the list, which is no look at the recording: the audit log stays as it is.
 * @param timeoutMs a long one takes a while
 */
export async function untilIndexed(product: Product, uid: SessionUid, timeoutMs = 30_000): Promise<void> {
  const { call } = await product.client()
  const indexed = async (): Promise<boolean> =>
    (await call(operations.sessions.records, { params: { uid } })).body.some(
      ({ seat, summary }) => seat === 0 && summary !== null,
    )
  await until('the recording is indexed', indexed, timeoutMs)
}
