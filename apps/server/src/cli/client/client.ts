// The API for commands of somebody who has signed in with `bowline login`.
import { createClient } from '@bowline/contract/client'
import type { Terminal } from '../terminal.ts'
import { currentSignIn } from './login.ts'

export type ServerClient = ReturnType<typeof createClient>

/** @throws {Error} when there is no sign-in, or it has ended */
export async function signedIn(terminal: Terminal): Promise<ServerClient> {
  const { server, person } = await currentSignIn(terminal)
  return createClient({ origin: server, token: () => person.token })
}
