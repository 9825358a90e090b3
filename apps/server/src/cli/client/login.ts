// `bowline login` and what needs its sign-in: the command line as a program of a person, on any machine.
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { ApiError, createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import type { UserAuth } from '@bowline/contract/schemas/user'
import type { Command } from 'commander'
import { type Format, type Terminal, show } from '../terminal.ts'
import { awaitApproval } from './approval.ts'
import { type SavedSignIn, readSignIn, removeSignIn, saveSignIn } from './sign-in-file.ts'

const { auth, programs } = operations

/** @throws {Error} unless it is an http or https address */
function originOf(server: string): string {
  const url = URL.parse(server.includes('://') ? server : `https://${server}`)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(`${server} is not an address such as https://bowline.example.com`)
  }
  return url.origin
}

/**
 * A token of the saved sign-in, renewed if it no longer works.
 * @throws {Error} when there is no sign-in, or it has ended
 */
export async function currentSignIn(terminal: Terminal): Promise<SavedSignIn & { readonly person: UserAuth }> {
  const saved = await readSignIn(terminal)
  if (!saved) throw new Error('You are not signed in: run bowline login https://your-server first.')
  const askWith = async (token: string) =>
    (await createClient({ origin: saved.server, token: () => token }).call(auth.getUser, {})).body
  try {
    return { ...saved, person: await askWith(saved.token) }
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error
  }
  try {
    const { refresh_token } = saved
    const { body } = await createClient({ origin: saved.server }).call(programs.token, { body: { refresh_token } })
    const renewed = { server: saved.server, token: body.token, refresh_token: body.refresh_token }
    await saveSignIn(terminal, renewed)
    return { ...renewed, person: body }
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error
    await removeSignIn(terminal)
    throw new Error('The sign-in has ended: run bowline login again.', { cause: error })
  }
}

export function addLoginCommands(program: Command, terminal: Terminal): void {
  program
    .command('login <server>')
    .description('Sign in at a server: shows a code that you approve in the console')
    .option('--name <name>', 'name in your list of sign-ins', `bowline on ${hostname()}`.slice(0, 64))
    .option('--json', 'print JSON')
    .action(async (server: string, { name, ...format }: Format & { name: string }) => {
      const origin = originOf(server)
      const { body: code } = await createClient({ origin }).call(programs.start, { body: { name } })
      // On stderr: the result on stdout is for programs.
      terminal.complain(`Open ${code.verification_uri_complete}`)
      terminal.complain(`and approve the code ${code.user_code} within ${Math.round(code.expires_in / 60)} minutes.`)
      const person = await awaitApproval({ now: Date.now, wait }, origin, code)
      await saveSignIn(terminal, { server: origin, token: person.token, refresh_token: person.refresh_token })
      show(terminal, format, { server: origin, username: person.user }, [`Signed in to ${origin} as ${person.user}.`])
    })

  program
    .command('whoami')
    .description('Show who is signed in, at which server')
    .option('--json', 'print JSON')
    .action(async (format: Format) => {
      const { server, person } = await currentSignIn(terminal)
      const { user: username, tenant, role } = person
      show(terminal, format, { server, username, tenant, role }, [`${username} at ${server}`])
    })

  program
    .command('token')
    .description('Print a token for the API, which lives ten minutes')
    .option('--json', 'print JSON')
    .action(async (format: Format) => {
      const { token } = (await currentSignIn(terminal)).person
      show(terminal, format, { token }, [token])
    })

  program
    .command('logout')
    .description('End the sign-in of this command line')
    .option('--json', 'print JSON')
    .action(async (format: Format) => {
      const saved = await readSignIn(terminal)
      if (!saved) throw new Error('You are not signed in.')
      const { token, server } = await currentSignIn(terminal)
      await createClient({ origin: server, token: () => token }).call(auth.deleteSession, {})
      await removeSignIn(terminal)
      show(terminal, format, { server }, [`Signed out of ${server}.`])
    })
}
