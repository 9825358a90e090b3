// Triggers a server's garbage collection, so that memory measurements exclude garbage. Speaks the inspector protocol to
// a process started with `--inspect=127.0.0.1:0`.
import type { Server } from './site/child.ts'

const ADDRESS = /Debugger listening on (ws:\/\/\S+)/

/** @throws {Error} when the server has no inspector */
export async function collectGarbage(server: Server): Promise<void> {
  const url = ADDRESS.exec(server.said())?.[1]
  if (url === undefined) throw new Error('the server was not started with --inspect')
  const socket = new WebSocket(url)
  const failed = new Promise<never>((_, reject) => {
    socket.addEventListener('error', () => reject(new Error('the inspector does not answer')))
  })
  await Promise.race([new Promise((resolve) => socket.addEventListener('open', resolve)), failed])
  const answered = new Promise((resolve) => socket.addEventListener('message', resolve))
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
  await Promise.race([answered, failed])
  socket.close()
}
