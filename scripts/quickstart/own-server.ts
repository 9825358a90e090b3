// Calls to the server of this quickstart. They go to its listener on this machine: the name that others use may not lead
// here yet, or not from here, as behind a router that does not turn packets around.
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'

/** @param host address of the listener, or `localhost` */
export function fetchFrom(host: string): typeof fetch {
  return async (input, init) => {
    const asked = new Request(input, init)
    const url = new URL(asked.url)
    const body = Buffer.from(await asked.arrayBuffer())
    const isSecure = url.protocol === 'https:'
    const options = {
      host: host.replace(/^\[|\]$/g, ''),
      port: url.port || (isSecure ? 443 : 80),
      servername: isIP(url.hostname) === 0 ? url.hostname : '',
      method: asked.method,
      path: url.pathname + url.search,
      headers: { ...Object.fromEntries(asked.headers), host: url.host, 'content-length': body.length },
      // It is the process that was just started; its certificate may be of an authority that only its devices know.
      rejectUnauthorized: false,
    }
    return new Promise((resolve, reject) => {
      const outgoing = (isSecure ? requestHttps : requestHttp)(options, (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
        incoming.on('end', () => {
          const { statusCode: status = 502, headers } = incoming
          const known = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
          resolve(new Response(status === 204 ? null : Buffer.concat(chunks), { status, headers: known }))
        })
      })
      outgoing.on('error', reject).end(body)
    })
  }
}
