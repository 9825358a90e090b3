// The server process of the SSH measurements: `down N` sends N bytes, `up` discards input, a shell stays, anything else
// exits at once. Sends its parent its ports, and its CPU usage on request.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { ChannelHandler, SshChannel, SshServerOptions } from '@bowline/ssh/api'
import { acceptConnection } from '@bowline/ssh/server'

const CHUNK = Buffer.alloc(32 * 1024)

function serve(): void {
  const options: SshServerOptions = {
    hostKeys: [generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })],
    software: 'OpenSSH_9.9 Bench',
    methods: ['publickey'],
  }
  const ssh = createServer({ noDelay: true }, (socket) => {
    acceptConnection(socket, { address: '127.0.0.1', port: socket.remotePort ?? 0 }, options, {
      authenticate: async () => ({ result: 'accept' }),
      open: () => ({ accept: true, attach: (channel) => new BulkChannel(channel) }),
      closed: () => undefined,
    })
  })
  const bare = createServer({ noDelay: true }, (socket) => {
    socket.once('data', (line) => pour(socket, Number(line.toString())))
  })
  ssh.listen(0, '127.0.0.1', () =>
    bare.listen(0, '127.0.0.1', () => process.send?.({ ssh: portOf(ssh.address()), bare: portOf(bare.address()) })),
  )
  process.on('message', () => process.send?.(process.cpuUsage()))
}

const portOf = (address: AddressInfo | string | null) => (typeof address === 'object' ? (address?.port ?? 0) : 0)

/** Writes `bytes` to a plain socket, with backpressure. */
function pour(socket: Socket, bytes: number): void {
  let left = bytes
  const more = () => {
    while (left > 0) {
      left -= CHUNK.length
      if (!socket.write(CHUNK)) return
    }
    socket.end()
  }
  socket.on('drain', more)
  more()
}

class BulkChannel implements ChannelHandler {
  readonly #channel: SshChannel
  #left = 0
  #sending = false

  constructor(channel: SshChannel) {
    this.#channel = channel
  }

  request(request: { readonly type: string; readonly command?: Uint8Array }): boolean {
    if (request.type !== 'exec') return request.type === 'shell'
    const [verb, bytes] = Buffer.from(request.command ?? '')
      .toString()
      .split(' ')
    if (verb === 'down') {
      this.#left = Number(bytes)
      this.#sending = true
      // After the reply to the request, as a program would.
      setImmediate(() => this.drain())
    } else if (verb !== 'up') this.#finish()
    return true
  }

  data(bytes: Uint8Array): void {
    this.#channel.consumed(bytes.length)
    // As the gateway does when the bytes have been passed on.
    this.#channel.free?.(bytes)
  }

  eof(): void {
    if (!this.#sending) this.#finish()
  }

  drain(): void {
    while (this.#sending && this.#left > 0) {
      this.#left -= CHUNK.length
      if (!this.#channel.write(CHUNK)) return
    }
    if (this.#sending) this.#finish()
  }

  closed(): void {
    this.#sending = false
  }

  #finish(): void {
    this.#sending = false
    this.#channel.exitStatus(0)
    this.#channel.close()
  }
}

serve()
