// The person's authentication agent on the device: a socket in a folder that only they can enter, for as long as their
// login lives.
import { mkdtempSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { actingAs, type Credentials } from '../../native/identity.ts'
import { type Accept, type Listening, listenOnPath } from './listening.ts'

/** Folder that everybody may write to; short, because the path of a socket has 107 bytes. */
const PARENT = '/tmp'

/** @throws {Error} when the folder or the socket cannot be made */
export async function listenForAgent(
  user: Credentials,
  accept: Accept,
): Promise<Listening & { readonly path: string }> {
  // mkdtemp(3) makes it with mode 0700, with the person as its owner.
  const folder = actingAs(user, () => mkdtempSync(join(PARENT, 'bowline-')))
  const path = join(folder, 'agent')
  const removeFolder = (): void => {
    try {
      actingAs(user, () => rmdirSync(folder))
    } catch {
      // The person has put something of theirs into it.
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
