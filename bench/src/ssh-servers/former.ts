// The same server on the npm package `ssh2`, which packages/ssh replaced: only for comparison. Its native add-on is not
// built: it aborted under Node 24 and does not build for 26.
import { createServer } from 'node:net'
import ssh2 from 'ssh2'
import type { Connection, ServerChannel } from 'ssh2'

const CHUNK = Buffer.alloc(32 * 1024)

/** Sends `left` bytes with backpressure, then ends. */
function send(channel: ServerChannel, bytes: number): void {
  let left = bytes
  const more = (): void => {
    while (left > 0) {
      left -= CHUNK.length
      if (!channel.write(CHUNK)) return
    }
    finish(channel)
  }
  channel.on('drain', more)
  more()
}

function finish(channel: ServerChannel): void {
  channel.removeAllListeners('drain')
  channel.exit(0)
  channel.end()
}

function run(channel: ServerChannel, command: string): void {
  const [verb, bytes] = command.split(' ')
  if (verb === 'down') send(channel, Number(bytes))
  else if (verb === 'up') channel.resume().on('end', () => finish(channel))
  else finish(channel)
}

/** The package leaves signature verification to its user. */
function authenticate(client: Connection): void {
  client.on('authentication', (attempt) => {
    if (attempt.method !== 'publickey') return attempt.reject(['publickey'])
    const key = ssh2.utils.parseKey(attempt.key.data)
    if (key instanceof Error) return attempt.reject()
    const { blob, signature, hashAlgo } = attempt
    // Without a signature the client only queries. The result may also be an Error, whatever the types say.
    const proven: unknown = blob && signature ? key.verify(blob, signature, hashAlgo) : true
    if (proven === true) attempt.accept()
    else attempt.reject()
  })
}

const server = new ssh2.Server({ hostKeys: [ssh2.utils.generateKeyPairSync('ed25519').private] }, (client) => {
  authenticate(client)
  client.on('error', () => undefined)
  client.on('session', (accept) => {
    const session = accept()
    session.on('exec', (acceptExec, _refuse, { command }) => run(acceptExec(), command))
    session.on('shell', (acceptShell) => void acceptShell())
  })
})
const listener = createServer({ noDelay: true }, (socket) => server.injectSocket(socket))
listener.listen(0, '127.0.0.1', () => {
  const address = listener.address()
  process.send?.({ ssh: typeof address === 'object' && address ? address.port : 0 })
})
process.on('message', () => process.send?.(process.cpuUsage()))
