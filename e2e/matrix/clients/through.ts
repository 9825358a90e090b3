// Checks that a forward works: a line sent to the echo server at its end must come back.
import { type NetConnectOpts, connect } from 'node:net'
import { until } from '../../support/wait.ts'

/** A bash line that sends a line to a local port and prints the reply. */
export const askPort = (port: number | string): string =>
  `exec 3<>/dev/tcp/127.0.0.1/${port}; echo through >&3; head -1 <&3`

/** The reply through a local port, once something listens there. */
export const throughPort = (port: number): Promise<string> => through({ host: '127.0.0.1', port })

/** The reply through a local unix socket, once something listens there. */
export const throughSocket = (path: string): Promise<string> => through({ path })

function through(where: NetConnectOpts): Promise<string> {
  return until('the forward carries', () => echoed(where))
}

/** The echoed line; undefined when there was none. */
function echoed(where: NetConnectOpts): Promise<string | undefined> {
  return new Promise((resolve) => {
    let output = ''
    const socket = connect(where, () => socket.write('through\n')).setEncoding('utf8')
    socket.on('data', (text: string) => {
      output += text
      if (output.endsWith('\n')) socket.end()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(output.endsWith('\n') ? output : undefined))
  })
}
