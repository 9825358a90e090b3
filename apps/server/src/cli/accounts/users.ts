// `bowline user …`: user accounts.
import { fail } from '@bowline/contract/errors'
import { Email, Password, Username } from '@bowline/contract/schemas/common'
import type { Command } from 'commander'
import { z } from 'zod'
import { systemClock } from '@bowline/base/clock'
import { createPasswordHasher } from '../../auth/password-hashes/passwords.ts'
import { endBrowserSessionsOf } from '../../auth/service.ts'
import { parseInput } from '../../platform/input/parse-input.ts'
import { endEveryMembership } from '../../members/service.ts'
import { purgeClosedOf } from '../../namespaces/closing.ts'
import { listAllNamespaces } from '../../namespaces/service.ts'
import { endSetUp } from '../../instance/service.ts'
import { confirmByOperator } from '../../registration/service.ts'
import { COMMAND_LINE, listActivity, listEveryActivity } from '../../users/activity.ts'
import {
  type Account,
  createUser,
  findAccount,
  findAccountByEmail,
  removeAccount,
  setMaxNamespaces,
  requireOtherThanNames,
  setPassword,
  signOutEverywhere,
} from '../../users/service.ts'
import { type Instance, onInstance, removalOf } from '../instance.ts'
import { type Format, type Terminal, show, table, secretOrStdin } from '../terminal.ts'
import { mailQueueOf } from './notices.ts'

async function historyOf(instance: Instance, name: string | undefined) {
  if (name === undefined) return listEveryActivity(instance.system, HISTORY)
  const { id, username } = await accountOf(instance, name)
  const { items } = await listActivity(instance.system, id, { limit: HISTORY, offset: 0 })
  return items.map((event) => ({ ...event, username }))
}

const NamespaceLimit = z.object({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a number up to 9999, or unlimited')
    .transform(Number),
})
const NewUser = z.object({ username: Username, password: Password, email: Email })

/**
 * The account that an operator means. Text with an @ is an address: anybody can register a username that looks like
 * somebody else's address.
 * @throws {BowlineError} NOT_FOUND naming the account
 */
export async function accountOf({ system }: Instance, name: string): Promise<Account> {
  const account = name.includes('@') ? await findAccountByEmail(system, name) : await findAccount(system, name)
  return account ?? fail('NOT_FOUND', { what: `The user ${name}` })
}

/** @returns the disabled SSH keys with the names of their namespaces */
async function deleteAccount(instance: Instance, { id }: Account) {
  const { system, contextOf } = instance
  const removal = await removalOf(instance)
  const { keys } = await system.transaction().execute((db) =>
    removeAccount(db, systemClock, id, async (user) => {
      await purgeClosedOf(db, { contextOf, removal }, user)
      return endEveryMembership(db, contextOf, user)
    }),
  )
  const names = new Map((await listAllNamespaces(system)).map((one) => [one.tenant_id, one.name]))
  return keys.map((key) => ({ ...key, namespace: names.get(key.tenant) ?? key.tenant }))
}

const sessionEnding = { clock: systemClock, endSessions: endBrowserSessionsOf }

/** Maximum of events that `user history` prints. */
const HISTORY = 1_000

/** @returns the command `bowline user` */
export function addUserCommands(program: Command, terminal: Terminal): Command {
  const user = program.command('user').description('Accounts of people')

  user
    .command('create <username> <password> <email>')
    .description('Create an account; a password of - is read from stdin')
    .option('--json', 'print JSON')
    .action(async (username: string, given: string, email: string, format: Format) => {
      const password = await secretOrStdin(terminal, given, 'Password')
      const wanted = parseInput('body', NewUser, { username, password, email })
      requireOtherThanNames(wanted.password, [wanted.username, wanted.email])
      const passwordHash = await (await createPasswordHasher()).hash(wanted.password)
      await onInstance(terminal, async ({ system, ids }) => {
        const id = await system.transaction().execute(async (db) => {
          // Whoever runs the server creates the first account for themselves.
          const isInstanceAdmin = await endSetUp(db)
          const limits = { maxNamespaces: -1, isInstanceAdmin }
          const account = { name: wanted.username, passwordHash, status: 'confirmed' as const, ...limits }
          return createUser(
            db,
            { ids, clock: systemClock, origin: COMMAND_LINE },
            { ...account, username: wanted.username, email: wanted.email },
          )
        })
        const created = { id, username: wanted.username, email: wanted.email }
        show(terminal, format, created, [`Created the user ${wanted.username}.`])
      })
    })

  user
    .command('confirm <username> [email]')
    .description(
      'Confirm a registration without its mail, or an address that somebody has set without a proof; the address tells several registrations with one username apart',
    )
    .option('--json', 'print JSON')
    .action((username: string, address: string | undefined, format: Format) =>
      onInstance(terminal, async ({ system, ids }) => {
        const deps = { auth: { ids, clock: systemClock } }
        const wanted = { username, email: address }
        const email = await system.transaction().execute((db) => confirmByOperator(db, deps, wanted, COMMAND_LINE))
        show(terminal, format, { username: username.toLowerCase(), email }, [
          `Confirmed ${email}: ${username.toLowerCase()} can sign in.`,
        ])
      }),
    )

  user
    .command('password <username> <password>')
    .description('Set a password and end every session; a password of - is read from stdin')
    .option('--json', 'print JSON')
    .action(async (username: string, given: string, format: Format) => {
      const { password } = parseInput('body', NewUser.pick({ password: true }), {
        password: await secretOrStdin(terminal, given, 'Password'),
      })
      await onInstance(terminal, async (instance) => {
        const account = await accountOf(instance, username)
        const deps = { ...sessionEnding, passwords: await createPasswordHasher(), mails: await mailQueueOf(instance) }
        await setPassword(instance.system, deps, account.id, password)
        show(terminal, format, { id: account.id, username: account.username }, [
          `Set the password of ${account.username}; everybody signed in with the old one is out.`,
        ])
      })
    })

  user
    .command('namespaces <username> <limit>')
    .description('Set how many namespaces somebody may own: a number, or unlimited')
    .option('--json', 'print JSON')
    .action((username: string, limit: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const account = await accountOf(instance, username)
        const most = limit === 'unlimited' ? -1 : parseInput('body', NamespaceLimit, { limit }).limit
        await setMaxNamespaces(instance.system, account.id, most)
        show(terminal, format, { id: account.id, username: account.username, max_namespaces: most }, [
          `${account.username} may own ${most === -1 ? 'any number of namespaces' : `up to ${most} namespaces`}.`,
        ])
      }),
    )

  user
    .command('delete <username>')
    .description('Delete an account and disable the SSH keys that it vouched for; refused to owners of namespaces')
    .option('--json', 'print JSON')
    .action((username: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const account = await accountOf(instance, username)
        const keys = await deleteAccount(instance, account)
        const disabled = keys.map(({ name, fingerprint, namespace }) => ({ name, fingerprint, namespace }))
        show(terminal, format, { id: account.id, username: account.username, disabled_keys: disabled }, [
          `Deleted the user ${account.username}.`,
          ...keys.map((key) => `Disabled the SSH key ${key.name} (${key.fingerprint}) of ${key.namespace}.`),
        ])
      }),
    )

  user
    .command('sign-out <username>')
    .description('End every session and token of an account; API keys and SSH keys stay')
    .option('--json', 'print JSON')
    .action((username: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const account = await accountOf(instance, username)
        await signOutEverywhere(instance.system, sessionEnding, account.id, COMMAND_LINE)
        show(terminal, format, { id: account.id, username: account.username }, [
          `Signed ${account.username} out everywhere.`,
        ])
      }),
    )

  user
    .command('history [username]')
    .description('Sign-ins, failures and changes of an account, or of all and of names that nobody has; newest first')
    .option('--json', 'print JSON')
    .action((username: string | undefined, format: Format) =>
      onInstance(terminal, async (instance) => {
        const events = await historyOf(instance, username)
        const rows = events.map((event) => [
          event.last_at,
          event.username,
          event.kind,
          String(event.count),
          event.source,
          Object.keys(event.details).length ? JSON.stringify(event.details) : '',
        ])
        show(terminal, format, events, table(['TIME', 'USERNAME', 'EVENT', 'COUNT', 'SOURCE', 'DETAILS'], rows))
      }),
    )

  return user
}
