// A real S3 server: OpenStack Swift with its S3 API, from Debian (`python3-swift`). It checks signatures and content
// hashes, and supports ranges and multipart uploads.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'

/** The system's Python, which Debian's packages are installed for. */
const PYTHON = '/usr/bin/python3'
const PROGRAM = fileURLToPath(new URL('./swift/serve.py', import.meta.url))

export interface Swift {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string
  readonly host: string
  readonly port: number
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Stops the server; its data stays. */
  stop(): Promise<void>
  /** Starts it again, on the same port; does nothing while it runs. */
  start(): Promise<void>
  /** Stops the server and removes its data. */
  close(): Promise<void>
}

/** The reason why Swift cannot run here; undefined when it can. */
export function swiftMissing(): string | undefined {
  const tried = spawnSync(PYTHON, ['-c', 'import swift.common.middleware.s3api.s3api'], { encoding: 'utf8' })
  return tried.status === 0 ? undefined : 'python3-swift is not installed'
}

/** Starts a store without buckets. */
export async function startSwift(): Promise<Swift> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-swift-'))
  const accessKeyId = 'tests:recorder'
  const secretAccessKey = 'a-secret-of-tests'
  let port = 0
  let isRunning = false
  let stop = async (): Promise<void> => undefined

  async function start(): Promise<void> {
    if (isRunning) return
    isRunning = true
    const child = spawn(PYTHON, [PROGRAM, folder, accessKeyId, secretAccessKey, String(port)], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (bytes: Buffer) => {
      said += bytes.toString()
    })
    const ended = once(child, 'exit')
    stop = async () => {
      child.kill('SIGKILL')
      await ended
      isRunning = false
    }
    const lines = createInterface(child.stdout)
    const first = await Promise.race([once(lines, 'line'), ended.then(() => undefined)])
    if (first === undefined) throw new Error(`Swift has ended:\n${said}`)
    ;({ port } = JSON.parse(String(first[0])) as { port: number })
  }

  await start()
  return {
    host: '127.0.0.1',
    get port() {
      return port
    },
    get endpoint() {
      return `http://127.0.0.1:${port}`
    },
    region: 'us-east-1',
    accessKeyId,
    secretAccessKey,
    stop: () => stop(),
    start,
    async close() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
