// nginx as people put it in front of a service: TLS towards clients, HTTP/1.1 towards the service. It also is the service
// that answers the small requests, so that the measured ways, not the service, are what is busy.
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Server, orItsEnd, startServer } from '../site/child.ts'
import { freePort } from '../site/sockets.ts'

const PROGRAM = '/usr/sbin/nginx'
/** Bytes of the answer to a small request. */
export const SMALL_BYTES = 512

export interface Nginx extends AsyncDisposable {
  /** The service, without TLS. */
  readonly servicePort: number
  /** The proxy in front of it, with TLS. */
  readonly proxyPort: number
}

/** @param tls certificate and key, PEM files @throws {Error} when it is not installed */
export async function startNginx(folder: string, tls: { readonly cert: string; readonly key: string }): Promise<Nginx> {
  if (!existsSync(PROGRAM)) throw new Error(`comparing with nginx takes ${PROGRAM}`)
  const own = join(folder, 'nginx')
  await mkdir(own)
  const [servicePort, proxyPort] = [await freePort(), await freePort()]
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${own}/${kind};`,
  )
  const configuration = `daemon off; worker_processes 1; pid ${own}/pid; user root;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000; ${temporary.join(' ')}
  server { listen 127.0.0.1:${servicePort}; location / { return 200 "${'x'.repeat(SMALL_BYTES)}"; } }
  server {
    listen 127.0.0.1:${proxyPort} ssl;
    ssl_certificate ${tls.cert}; ssl_certificate_key ${tls.key};
    location / { proxy_pass http://127.0.0.1:${servicePort}; }
  }
}
`
  await writeFile(join(own, 'nginx.conf'), configuration)
  const server = await startServer(PROGRAM, ['-p', own, '-c', join(own, 'nginx.conf'), '-e', 'stderr'])
  await orItsEnd(server, 'nginx', answers(server, proxyPort))
  return { servicePort, proxyPort, [Symbol.asyncDispose]: () => server.stop() }
}

async function answers(server: Server, port: number): Promise<void> {
  while (server.process.exitCode === null) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
    if (isOpen) return
    await pause(20)
  }
}
