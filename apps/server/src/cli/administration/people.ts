// `bowline user list|disable|enable|admin`: people of the whole instance.
import { ConfigError } from '@bowline/contract/config'
import type { Command } from 'commander'
import { disablePerson, enablePerson, listPeople, setAdministrator } from '../../administration/people.ts'
import { accountOf } from '../accounts/users.ts'
import { type Instance, onInstance } from '../instance.ts'
import { type Format, type Terminal, show, table } from '../terminal.ts'
import { BY_OPERATOR, administrationOf } from './deps.ts'

const PAGE = 100
const STATES = ['disabled', 'unconfirmed', 'administrators', 'without-factor'] as const
type State = (typeof STATES)[number]

interface ListOptions extends Format {
  readonly search?: string
  readonly only?: string
}

async function everybody(instance: Instance, search: string, state: State | undefined) {
  const query = { search, state, sort_by: 'username' as const, order_by: 'asc' as const, per_page: PAGE }
  const people = []
  for (let page = 1; ; page += 1) {
    const { items } = await listPeople(administrationOf(instance), { ...query, page })
    people.push(...items)
    if (items.length < PAGE) return people
  }
}

function stateOf(typed: string | undefined): State | undefined {
  if (typed === undefined) return undefined
  const state = STATES.find((one) => one === typed)
  if (!state) throw new ConfigError([`--only must be one of ${STATES.join(', ')}.`])
  return state
}

export function addPeopleCommands(user: Command, terminal: Terminal): void {
  user
    .command('list')
    .description('List the accounts')
    .option('--search <text>', 'only those with the text in name, username or address')
    .option('--only <filter>', `only ${STATES.join(', ')}`)
    .option('--json', 'print JSON')
    .action(({ search = '', only, ...format }: ListOptions) =>
      onInstance(terminal, async (instance) => {
        const people = await everybody(instance, search, stateOf(only))
        const listed = people.map(({ id, username, name, email, state: status, mfa }) => {
          return { id, username, name, email, status, mfa }
        })
        const rows = listed.map(({ username, name, email, status, mfa }) => {
          return [username, name, email, status, mfa ? 'on' : 'off']
        })
        show(terminal, format, listed, table(['USERNAME', 'NAME', 'E-MAIL', 'STATUS', 'SECOND FACTOR'], rows))
      }),
    )

  user
    .command('disable <username>')
    .description('Disable an account: nobody signs in to it, its sessions end, and its keys pause')
    .option('--json', 'print JSON')
    .action((username: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const account = await accountOf(instance, username)
        await disablePerson(administrationOf(instance), BY_OPERATOR, account)
        show(terminal, format, { id: account.id, username: account.username, status: 'disabled' }, [
          `${account.username} is disabled: nobody signs in as them, and their sessions end.`,
        ])
      }),
    )

  user
    .command('enable <username>')
    .description('Enable a disabled account; its keys work again')
    .option('--json', 'print JSON')
    .action((username: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const account = await accountOf(instance, username)
        await enablePerson(administrationOf(instance), BY_OPERATOR, account)
        show(terminal, format, { id: account.id, username: account.username, status: 'confirmed' }, [
          `${account.username} can sign in again.`,
        ])
      }),
    )

  user
    .command('admin <username>')
    .description('Let an account administer the server: its mail, its people, its namespaces')
    .option('--off', 'take the right away')
    .option('--json', 'print JSON')
    .action((username: string, { off = false, ...format }: Format & { off?: boolean }) =>
      onInstance(terminal, async (instance) => {
        const account = await accountOf(instance, username)
        await setAdministrator(administrationOf(instance), BY_OPERATOR, account, !off)
        const { id } = account
        show(terminal, format, { id, username: account.username, instance_admin: !off }, [
          `${account.username} ${off ? 'does not administer' : 'administers'} the server.`,
        ])
      }),
    )
}
