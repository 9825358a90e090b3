// Many idle SSH connections, held by this process.
import { readFileSync } from 'node:fs'
import ssh2 from 'ssh2'

const MAX_CONCURRENT = 20

export interface IdleClients extends AsyncDisposable {
  /** Opens this many more connections, each signed in and with a shell. */
  open(count: number): Promise<void>
}

/** @param keyFile private key, without a passphrase */
export function idleClients(port: number, keyFile: string): IdleClients {
  const clients: ssh2.Client[] = []
  const privateKey = readFileSync(keyFile)
  const connect = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const client = new ssh2.Client()
      clients.push(client)
      client
        .on('error', reject)
        .on('ready', () => client.shell(false, (error) => (error ? reject(error) : resolve())))
        .connect({ host: '127.0.0.1', port, username: 'bench', privateKey, keepaliveInterval: 0 })
    })
  return {
    async open(count) {
      for (let left = count; left > 0; left -= MAX_CONCURRENT) {
        await Promise.all(Array.from({ length: Math.min(left, MAX_CONCURRENT) }, connect))
      }
    },
    async [Symbol.asyncDispose]() {
      const gone = clients.map((client) => new Promise<void>((resolve) => client.on('close', () => resolve())))
      for (const client of clients) client.end()
      await Promise.all(gone)
    },
  }
}
