// toxiproxy: a proxy between two real programs whose network a test can spoil. `.ci/run` builds it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

const PROGRAM = resolve(import.meta.dirname, '../../../.cache/toxiproxy/toxiproxy-server')

/** The reason why it cannot run on this machine; undefined when it can. */
export const toxiproxyMissing: string | undefined = existsSync(PROGRAM)
  ? undefined
  : 'needs toxiproxy, which .ci/run installs'

/** As toxiproxy names them. `upstream` is what the client sends. */
export type Toxic =
  | { readonly type: 'latency'; readonly latency: number; readonly jitter: number }
  /** KB a second. */
  | { readonly type: 'bandwidth'; readonly rate: number }
  /** Passes nothing on, and closes after so many milliseconds; 0: never. */
  | { readonly type: 'timeout'; readonly timeout: number }
  /** Resets connections after so many milliseconds. */
  | { readonly type: 'reset_peer'; readonly timeout: number }

export interface Toxiproxy {
  /** @returns the port of a proxy on loopback to a port there */
  proxy(upstream: number): Promise<number>
  /** Spoils one direction of all proxies, for new connections and those that stand. */
  add(direction: 'upstream' | 'downstream', toxic: Toxic): Promise<void>
  /** Removes everything that was added. */
  heal(): Promise<void>
  close(): Promise<void>
}

/** Starts it on loopback. Rejects when it ends before it listens. */
export async function startToxiproxy(): Promise<Toxiproxy> {
  const api = `http://127.0.0.1:${await freePort()}`
  const child = spawn(PROGRAM, ['-host', '127.0.0.1', '-port', new URL(api).port], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const names: string[] = []
  const added: string[] = []

  async function ask(method: 'POST' | 'DELETE', path: string, body?: object): Promise<void> {
    const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}
    const answer = await fetch(`${api}${path}`, { method, ...init })
    if (!answer.ok)
      throw new Error(`toxiproxy answered ${method} ${path} with ${answer.status}: ${await answer.text()}`)
  }

  await until(async () => {
    if (child.exitCode !== null) throw new Error(`toxiproxy has ended with ${child.exitCode}`)
    return fetch(`${api}/version`).then(
      ({ ok }) => ok,
      () => false,
    )
  })
  return {
    async proxy(upstream) {
      const port = await freePort()
      const name = `to-${upstream}`
      await ask('POST', '/proxies', { name, listen: `127.0.0.1:${port}`, upstream: `127.0.0.1:${upstream}` })
      names.push(name)
      return port
    },
    async add(direction, { type, ...attributes }) {
      for (const name of names) {
        const toxic = `${type}-${direction}`
        await ask('POST', `/proxies/${name}/toxics`, { name: toxic, type, stream: direction, attributes })
        added.push(`/proxies/${name}/toxics/${toxic}`)
      }
    },
    async heal() {
      for (const path of added.splice(0)) await ask('DELETE', path)
    },
    async close() {
      child.kill()
      await ended
    },
  }
}
