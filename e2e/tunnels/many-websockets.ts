// Many WebSockets at once through one tunnel, each with its own words.
import { WebSocket } from 'ws'
import type { Site } from './row.ts'

export interface Held {
  /** Every socket says something and hears it. @returns how many @throws when one hears something else, or has ended */
  speak(round: number): Promise<number>
  close(): void
}

/** Sockets from one source; there is a limit for each. */
const PER_SOURCE = 200

export async function holdWebSockets(site: Site, count: number): Promise<Held> {
  const sockets = await Promise.all(
    Array.from({ length: count }, (_, at) => opened(site, `127.0.0.${2 + Math.floor(at / PER_SOURCE)}`)),
  )
  return {
    async speak(round) {
      const heard = await Promise.all(sockets.map((socket, at) => echoed(socket, `round ${round} of socket ${at}`)))
      return heard.length
    },
    close() {
      for (const socket of sockets) socket.terminate()
    },
  }
}

function opened(site: Site, source: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://${site.authority}/`, { createConnection: () => site.dial(source) as never })
  return new Promise((resolve, reject) => socket.once('open', () => resolve(socket)).once('error', reject))
}

function echoed(socket: WebSocket, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const lost = (code: number): void => reject(new Error(`a WebSocket has ended with ${code}`))
    socket.once('close', lost)
    socket.once('message', (data: Buffer) => {
      socket.off('close', lost)
      if (String(data) === words) resolve()
      else reject(new Error(`${words} came back as ${String(data)}`))
    })
    if (socket.readyState !== WebSocket.OPEN) reject(new Error('a WebSocket has ended'))
    socket.send(words)
  })
}
