// Whether a forward carries: a line goes to the echo server at its end and comes back.
import { type NetConnectOpts, connect } from 'node:net'
import { until } from '../../support/wait.ts'

/** A line of bash that sends a line to a port of its machine and prints what comes back. */
export const askPort = (port: number | string): string =>
  `exec 3<>/dev/tcp/127.0.0.1/${port}; echo through >&3; head -1 <&3`

/** What comes back through a port of this machine, as soon as somebody listens there. */
export const throughPort = (port: number): Promise<string> => through({ host: '127.0.0.1', port })

/** What comes back through a unix socket of this machine, as soon as somebody listens there. */
export const throughSocket = (path: string): Promise<string> => through({ path })

function through(where: NetConnectOpts): Promise<string> {
  return until('the forward carries', () => echoed(where))
}

/** The line that came back; undefined when there was none. */
function echoed(where: NetConnectOpts): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = ''
    const socket = connect(where, () => socket.write('through\n')).setEncoding('utf8')
    socket.on('data', (text: string) => {
      said += text
      if (said.endsWith('\n')) socket.end()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(said.endsWith('\n') ? said : undefined))
  })
}
