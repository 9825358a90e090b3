// `npm start` after the installation: builds what is stale, runs the server and an agent for this machine, and prints
// how to sign in. All set-up uses the public calls; the server has no special support for it.
import { join, resolve } from 'node:path'
import { buildStale } from '../build.ts'
import { agentPassword, startAgent } from './agent.ts'
import { ensureAccount } from './account.ts'
import { awaitDevice } from './device.ts'
import { keep } from './kept.ts'
import { fetchFrom } from './own-server.ts'
import { optionsOf } from './options.ts'
import { startChild, startServer } from './processes.ts'
import { printSummary } from './summary.ts'

const root = resolve(import.meta.dirname, '../..')
process.chdir(root)
const options = optionsOf(process.argv.slice(2))

/** A signal later than this after the first one is a second request: it ends everything at once. */
const SAME_KEYPRESS_MS = 1_000

const children: { stop(): Promise<void> }[] = []
let stopping = false
let stoppingSince = 0
async function stop(code: number): Promise<never> {
  stopping = true
  stoppingSince = performance.now()
  for (const child of children.toReversed()) await child.stop()
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!stopping) void stop(0)
    // Ctrl-C arrives twice: from the terminal, and from the process that started this one.
    else if (performance.now() - stoppingSince > SAME_KEYPRESS_MS) process.exit(1)
  })
}
const say = (text: string): void => void process.stderr.write(`${text}\n`)

try {
  await buildStale(['console'])
  // Built in the background: the documentation appears at /docs/ when it is ready.
  const docs = startChild(join(root, 'scripts/build.ts'), ['docs'], { quiet: true })
  children.push(docs)
  say('Starting …')
  const { server, origin, sshPort, setupLink, pin, reachable, listener } = await startServer(root)
  children.push(server)
  server.ended.then((code) => {
    if (stopping) return
    say('The server has ended.')
    void stop(code === 0 ? 1 : code)
  }, say)

  const dataFolder = resolve(process.env['BOWLINE_DATA_DIR'] || '.bowline')
  const api = { origin, fetch: fetchFrom(listener) }
  const { kept, token } = await ensureAccount({ api, setupLink, dataFolder })
  let device: { sshid: string; password: string; user: string } | undefined
  if (kept?.tenant && (!reachable || options.agent)) {
    const { plain, hash } = await agentPassword(root, dataFolder)
    // Without TLS no name has to match.
    const { port } = new URL(origin)
    const address = origin.startsWith('https:') ? origin : `http://${listener}:${port}`
    const agent = startAgent(root, { origin: address, tenant: kept.tenant, pin, dataFolder, hash })
    children.push(agent)
    // Without the account's password the device cannot be queried; its name has not changed by itself.
    const sshid = token === undefined ? kept.sshid : await awaitDevice({ api, token, dataFolder })
    if (sshid !== undefined) {
      if (sshid !== kept.sshid) await keep(dataFolder, { ...kept, sshid })
      device = { sshid, password: plain, user: agent.user }
    }
  }
  printSummary({ origin, sshPort, kept, device, json: options.json })
} catch (error) {
  if (!stopping) {
    say(error instanceof Error ? error.message : String(error))
    await stop(1)
  }
}
