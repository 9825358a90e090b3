// Transport 1 of the double: a control connection of JSON lines, and a WebSocket of its own for each stream.
import { type Head, readHead } from '@bowline/yamux/read-head'
import { type WebSocket, createWebSocketStream } from 'ws'
import type { TunnelParts } from './parts.ts'

const INTERVAL_MS = 30_000

export function serveDialled(control: WebSocket, parts: TunnelParts): void {
  const { faults } = parts
  const send = (line: object): void => {
    if (!faults.silent) control.send(Buffer.from(`${JSON.stringify(line)}\n`), { binary: true })
  }
  const keepAlive = (): void => send({ command: 'keep-alive' })
  keepAlive()
  const timer = setInterval(keepAlive, INTERVAL_MS)
  control.on('close', () => clearInterval(timer))
  let text = ''
  control.on('message', (bytes: Buffer) => {
    text += bytes.toString()
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const { command, connPath = '' } = JSON.parse(line) as { command: string; connPath?: string }
      if (command !== 'conn-ready') continue
      const fetched = faults.refusesStreams ? Promise.reject(new Error('refused')) : fetch(connPath, parts)
      fetched.catch(() => send({ command: 'pickup-failed', connPath, err: 'it could not be fetched' }))
    }
  })
}

async function fetch(path: string, parts: TunnelParts): Promise<void> {
  const stream = createWebSocketStream(await parts.dial(path))
  stream.on('error', () => undefined)
  parts.opened(stream)
  serve(stream, parts).catch(() => stream.destroy())
}

async function serve(stream: ReturnType<typeof createWebSocketStream>, parts: TunnelParts): Promise<void> {
  const line = await readHead(stream, parseRequest, 4_096)
  if (/^GET \/ssh\/[^/ ]+ HTTP\/1\.1$/.test(line)) return parts.serveSsh(stream)
  const [, host = '', port = ''] = /^CONNECT \/http\/proxy\/(.+):(\d+) HTTP\/1\.1$/.exec(line) ?? []
  if (host === '') return void stream.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
  try {
    const target = await parts.dialTarget(host.replaceAll(/[[\]]/g, ''), Number(port))
    stream.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    stream.pipe(target).pipe(stream)
  } catch {
    stream.resume().end('HTTP/1.1 500 Internal Server Error\r\n\r\nfailed to connect to the server on device')
  }
}

/** First line of an HTTP request whose head is complete. */
function parseRequest(bytes: Buffer): Head<string> | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  return end < 0 ? undefined : { value: bytes.subarray(0, bytes.indexOf('\r\n')).toString(), bytes: end + 4 }
}
