// The user's forwarded authentication agent on the device: a socket in a private folder, for as long as their login
// lives.
import { mkdtempSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { actingAs, type Credentials } from '../../native/identity.ts'
import { type Accept, type Listening, listenOnPath } from './listening.ts'

/** World-writable folder; short, because the path of a socket is limited to 107 bytes. */
const PARENT = '/tmp'

/** @throws {Error} when the folder or the socket cannot be created */
export async function listenForAgent(
  user: Credentials,
  accept: Accept,
): Promise<Listening & { readonly path: string }> {
  // mkdtemp(3) creates it with mode 0700, owned by the user.
  const folder = actingAs(user, () => mkdtempSync(join(PARENT, 'bowline-')))
  const path = join(folder, 'agent')
  const removeFolder = (): void => {
    try {
      actingAs(user, () => rmdirSync(folder))
    } catch {
      // Not empty: the user has put a file into it.
    }
  }
  try {
    const listening = await listenOnPath(user, path, accept)
    return {
      port: 0,
      path,
      close() {
        listening.close()
        removeFolder()
      },
    }
  } catch (error) {
    removeFolder()
    throw error
  }
}
