// Fixtures of the board: a device with accounts, an accepted key, and targets to forward to.
import { once } from 'node:events'
import { chown, mkdir, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, type ListenOptions, createServer } from 'node:net'
import { join } from 'node:path'
import { type Account, type Device, makeDevice } from '../support/device.ts'
import { tool } from './tool.ts'

export interface World extends AsyncDisposable {
  readonly device: Device
  /** Private keys, as in {@link Site}; the public line is in `<file>.pub`. */
  readonly keyFile: string
  readonly ecdsaKeyFile: string
  readonly echo: { readonly port: number; readonly socket: string }
  /** Lines of `~/.ssh/authorized_keys` in each new home; '' for none. */
  authorizedKeys: string
  /** Empties the home of an account. */
  newHome(account: Account): Promise<void>
}

/** @param accounts number of device accounts */
export async function makeWorld(accounts: number): Promise<World> {
  const device = makeDevice({ shell: '/bin/bash', group: 'gardeners', accounts })
  const inside = (name: string): string => join(device.folder, name)
  // sshd supports keyboard-interactive through PAM only; Debian's own module list would print greetings, too.
  const modules = ['auth required pam_unix.so nodelay', 'account required pam_unix.so', 'session required pam_unix.so']
  await writeFile(join(device.etc, 'pam.d/sshd'), `${modules.join('\n')}\n`)
  await tool(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', inside('key')])
  await tool(['ssh-keygen', '-q', '-t', 'ecdsa', '-m', 'PEM', '-N', '', '-C', '', '-f', inside('key-ecdsa')])
  await tool(['ssh-keygen', '-q', '-t', 'ecdsa', '-N', '', '-f', inside('host_key_ecdsa')])
  const tcp = await echoServer({ host: '127.0.0.1', port: 0 })
  const unix = await echoServer({ path: inside('echo.sock'), readableAll: true, writableAll: true })
  const world: World = {
    device,
    keyFile: inside('key'),
    ecdsaKeyFile: inside('key-ecdsa'),
    echo: { port: (tcp.address() as AddressInfo).port, socket: inside('echo.sock') },
    authorizedKeys: '',
    async newHome({ home, uid }) {
      await rm(home, { recursive: true, force: true, maxRetries: 10 })
      await mkdir(home, { mode: 0o700 })
      await chown(home, uid, uid)
      if (world.authorizedKeys === '') return
      const folder = join(home, '.ssh')
      await mkdir(folder, { mode: 0o700 })
      await writeFile(join(folder, 'authorized_keys'), world.authorizedKeys, { mode: 0o600 })
      await tool(['chown', '-R', `${uid}:${uid}`, folder])
    },
    async [Symbol.asyncDispose]() {
      tcp.close()
      unix.close()
      await device.remove()
    },
  }
  return world
}

async function echoServer(where: ListenOptions) {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  server.listen(where)
  await once(server, 'listening')
  return server
}
