// Shared set-up of the rows that compare with OpenSSH: the product with an agent, an sshd beside it, and one ssh client
// configured for both as the same user.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type DevicePassword, accepted, makeDevicePassword, startAgent } from './agent.ts'
import type { Server } from './child.ts'
import { hasOwnView, showUser } from '../own-view.ts'
import type { BenchOptions } from '../options.ts'
import { type Site, startSite } from './site.ts'
import { type Destination, type SshClient, createSshClient } from '../ssh-client.ts'
import { type Sshd, startSshd } from './sshd.ts'

export interface Scene {
  readonly site: Site
  readonly agent: Server
  readonly sshd: Sshd
  readonly ssh: SshClient
  readonly password: DevicePassword
  /** Port, login and password of the device. */
  readonly bowline: Destination
}

/**
 * Runs `measure` in a new scene and tears the scene down again.
 * @param name of the row group: names the folder and the CPU profile
 * @param settings of the server
 * @throws {Error} without a private mount namespace, which requires root
 */
export async function inScene<T>(
  options: BenchOptions,
  name: string,
  measure: (scene: Scene) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  if (!hasOwnView()) throw new Error('comparing with sshd takes root: sshd must check a password')
  const folder = join(options.folder, name)
  await mkdir(folder, { mode: 0o711 })
  const password = await makeDevicePassword()
  await using _ = await showUser(folder, password.hash)
  await using site = await startSite({
    folder: join(folder, 'site'),
    nodeFlags: options.nodeFlags(name),
    secure: true,
    settings,
  })
  await using agent = await startAgent(site, password, { nodeFlags: options.nodeFlags(`${name}-agent`) })
  const login = await accepted(site, agent)
  await using sshd = await startSshd(folder)
  const bowline = { port: site.sshPort, login, password: password.plain }
  try {
    const ssh = await createSshClient(folder, bowline, sshd)
    return await measure({ site, agent, sshd, ssh, password, bowline })
  } catch (error) {
    options.say(`The server said: ${site.server.said().slice(-2_000) || 'nothing'}`)
    throw error
  }
}
