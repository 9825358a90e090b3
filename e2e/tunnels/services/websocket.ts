// A WebSocket server that echoes, and does what its client's words ask for.
import { createServer } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Service, serve } from './service.ts'

/** Ends that the service has seen: by the client's path, code and reason. */
export const endings = new Map<string, string>()

const WORDS: Readonly<Record<string, (socket: WebSocket) => void>> = {
  'close me': (socket) => socket.close(4_001, 'as you asked'),
  'drop me': (socket) => socket.terminate(),
  'ping me': (socket) => socket.ping('are you there?'),
}

export async function startWebSocket(): Promise<Service> {
  const server = createServer((_, answer) => answer.writeHead(426).end('WebSockets only'))
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: { threshold: 64 },
    handleProtocols: (offered) => (offered.has('board.v2') ? 'board.v2' : false),
  })
  server.on('upgrade', (request, socket, head) => {
    if (request.url === '/refused') {
      socket.end('HTTP/1.1 401 Unauthorized\r\nX-Why: no ticket\r\nContent-Length: 4\r\n\r\ngone')
      return
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      accepted.on('error', () => undefined)
      accepted.on('close', (code, reason) => endings.set(request.url ?? '', `${code} ${String(reason)}`))
      accepted.on('pong', (payload) => accepted.send(`pong: ${String(payload)}`))
      accepted.on('message', (data: Buffer, isBinary) => {
        const word = isBinary ? undefined : WORDS[String(data)]
        if (word) word(accepted)
        else accepted.send(data, { binary: isBinary })
      })
    })
  })
  return serve(server, 'HTTP/1.1')
}
