// The baseline's agent: runs the shell command in the first line of each connection and relays its input and output;
// or, given the port of a server, relays each connection to that. Arguments: `tls` or `tcp`, then certificate and key
// files, then that port. Sends its parent its port, and a message each time a command has ended.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { createServer as createTls } from 'node:tls'

const [hop, certFile = '', keyFile = '', onTo] = process.argv.slice(2)
const server =
  hop === 'tls' ? createTls({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, serve) : createServer(serve)

function serve(socket: Socket): void {
  socket.setNoDelay(true).on('error', () => socket.destroy())
  if (onTo !== undefined) {
    const next = connect(Number(onTo), '127.0.0.1').setNoDelay(true)
    next.on('error', () => socket.destroy())
    socket.once('close', () => next.destroy())
    socket.pipe(next).pipe(socket)
    return
  }
  socket.once('data', (first: Buffer) => {
    const end = first.indexOf('\n')
    socket.pause().unshift(first.subarray(end + 1))
    const child = spawn('sh', ['-c', first.toString('utf8', 0, end)], { stdio: ['pipe', 'pipe', 'inherit'] })
    child.once('close', () => process.send?.({ ended: true }))
    child.stdin.on('error', () => undefined)
    socket.pipe(child.stdin)
    child.stdout.pipe(socket)
  })
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address() satisfies AddressInfo | string | null
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
})
