// Starts real balancers with the files of deploy/balancers; only addresses, ports and places of files are replaced.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '@bowline/testkit/free-port'
import { answers } from '../support/device.ts'
import { root } from '../support/product.ts'
import { type Running, run } from '../support/running.ts'
import { until } from '../support/wait.ts'

export const hasBalancers = [
  '/usr/sbin/haproxy',
  '/usr/sbin/nginx',
  '/usr/lib/nginx/modules/ngx_stream_module.so',
].every((file) => existsSync(file))

/** Ports of a node. */
export interface Node {
  readonly http: number
  readonly ssh: number
}

export interface Balancer {
  readonly httpsPort: number
  readonly sshPort: number
  readonly process: Running
  /** HAProxy only: state of each server by its backend, such as `bowline_ssh/node1: DOWN`. */
  states(): Promise<readonly string[]>
  /** HAProxy only: path of its socket for commands. */
  readonly adminSocket: string
  close(): Promise<void>
}

/** Text of a file in deploy/balancers. */
export const configuration = (name: string): string => readFileSync(join(root, 'deploy/balancers', name), 'utf8')

/**
 * @param nodes for 10.0.0.11 and 10.0.0.12
 * @param certificate PEM texts, for balancers that end TLS
 */
export async function startBalancer(
  program: 'haproxy' | 'nginx',
  files: readonly string[],
  nodes: readonly [Node, Node],
  certificate: { readonly cert: string; readonly key: string },
): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-balancer-'))
  const inside = (name: string): string => join(folder, name)
  writeFileSync(inside('bowline.crt'), certificate.cert)
  writeFileSync(inside('bowline.key'), certificate.key)
  writeFileSync(inside('bowline.pem'), certificate.cert + certificate.key)
  const [httpsPort, sshPort, redirectPort] = [await freePort(), await freePort(), await freePort()]
  const adapt = (line: string): string => {
    const [, at = ''] = /10\.0\.0\.1([12])/.exec(line) ?? []
    const node = at === '2' ? nodes[1] : nodes[0]
    return (
      line
        .replace(/10\.0\.0\.1[12]:(?:8080|8443)/, `127.0.0.1:${node.http}`)
        .replace(/10\.0\.0\.1[12]:2222/, `127.0.0.1:${node.ssh}`)
        .replace(/\bport (?:8080|8443)$/, `port ${node.http}`)
        .replace(/\b(bind|listen) :?443\b/, `$1 127.0.0.1:${httpsPort}`)
        .replace(/\b(bind|listen) :?22\b/, `$1 127.0.0.1:${sshPort}`)
        .replace(/\bbind :80\b/, `bind 127.0.0.1:${redirectPort}`)
        .replace(/\/etc\/(?:haproxy|nginx)\/bowline/, inside('bowline'))
        .replace('/run/haproxy/admin.sock', inside('admin.sock'))
        // What this account may open.
        .replace('maxconn 50000', 'maxconn 500')
    )
  }
  const texts = files.map((file) => configuration(file).split('\n').map(adapt).join('\n'))
  const own = program === 'haproxy' ? texts.join('\n') : nginxConfiguration(folder, files, texts)
  writeFileSync(inside('own.conf'), own)
  const command =
    program === 'haproxy'
      ? ['/usr/sbin/haproxy', '-db', '-f', inside('own.conf')]
      : ['/usr/sbin/nginx', '-p', folder, '-c', inside('own.conf'), '-e', 'stderr']
  const running = run(command, {})
  await until(`${program} listens`, async () => {
    if (running.child.exitCode !== null) throw new Error(`${program} has ended: ${running.output()}`)
    return (await answers(httpsPort)) && (await answers(sshPort))
  })
  return {
    httpsPort,
    sshPort,
    process: running,
    adminSocket: inside('admin.sock'),
    async states() {
      const socket = createConnection(inside('admin.sock'))
      socket.write('show stat\n')
      const rows = (await text(socket)).split('\n').map((line) => line.split(','))
      return rows.filter(([, name]) => name?.startsWith('node')).map((row) => `${row[0]}/${row[1]}: ${row[17]}`)
    },
    async close() {
      await running.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The parts of nginx.conf around the files, as a distribution brings them. */
function nginxConfiguration(folder: string, files: readonly string[], texts: readonly string[]): string {
  for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name))
  const places = `client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;`
  const of = (isHttp: boolean): string =>
    texts.filter((_, index) => (files[index] === 'nginx-http.conf') === isHttp).join('\n')
  return `daemon off; worker_processes 1; pid ${folder}/nginx.pid; user root;
load_module /usr/lib/nginx/modules/ngx_stream_module.so;
events { worker_connections 512; }
http { access_log off; ${places} ${of(true)} }
stream { ${of(false)} }`
}
