// Transport 2 of the double: the server's end of yamux, each stream with multistream-select and a JSON object.
import type { Duplex } from 'node:stream'
import { answerProtocol } from '@bowline/yamux/multistream'
import { parseLine, readHead } from '@bowline/yamux/read-head'
import { YamuxSession } from '@bowline/yamux/session'
import type { WebSocket } from 'ws'
import type { TunnelParts } from './parts.ts'

const SSH = '/ssh/open/1.0.0'
const TCP = '/http/proxy/1.0.0'

export function serveMultiplexed(control: WebSocket, parts: TunnelParts): void {
  const { faults } = parts
  const session = new YamuxSession({
    role: 'server',
    maxStreams: 1_024,
    send(bytes) {
      // Header and payload as two messages, as existing agents do.
      if (!faults.silent) for (const part of bytes) control.send(part, { binary: true })
      return true
    },
    accept(stream) {
      if (faults.refusesStreams) return void stream.destroy()
      parts.opened(stream)
      serve(stream, parts).catch(() => stream.destroy())
    },
    fault: () => control.terminate(),
  })
  control.on('message', (bytes: Buffer) => session.receive(bytes))
  control.on('close', () => session.end())
}

async function serve(stream: Duplex, parts: TunnelParts): Promise<void> {
  const protocol = await answerProtocol(stream, [SSH, TCP])
  const header = JSON.parse(await readHead(stream, parseLine, 1_024)) as { host: string; port: string }
  if (protocol === SSH) return parts.serveSsh(stream)
  try {
    const target = await parts.dialTarget(header.host, Number(header.port))
    stream.write('{"status":"ok"}\n')
    stream.pipe(target).pipe(stream)
  } catch {
    // The stream stays open: the server must close it.
    stream.resume().write('{"error":"failed to dial to the address and port"}\n')
  }
}
