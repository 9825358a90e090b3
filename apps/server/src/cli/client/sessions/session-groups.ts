// `bowline session groups`: how many sessions each device or person has.
import { ConfigError } from '@bowline/contract/config'
import { operations } from '@bowline/contract/operations'
import { SESSION_GROUP_SORTS } from '@bowline/contract/operations/sessions'
import { SESSION_GROUPINGS } from '@bowline/contract/schemas/session'
import type { Command } from 'commander'
import { type Format, type Terminal, show, table } from '../../terminal.ts'
import { signedIn } from '../client.ts'
import { type FilterOptions, filterOf, withFilter } from './session-selection.ts'

type GroupOptions = Format & FilterOptions & { readonly by: string; readonly sort: string; readonly limit: string }

/** Adds the command to those of `bowline session`. */
export function addGroups(session: Command, terminal: Terminal): void {
  withFilter(session.command('groups').description('Count the sessions of each device or person'))
    .option('--by <what>', `what counts: ${SESSION_GROUPINGS.join(' or ')}`, 'device')
    .option('--sort <field>', `order, the greatest first: ${SESSION_GROUP_SORTS.join(', ')}`, 'last_started_at')
    .option('--limit <number>', 'at most so many: 1 to 100', '25')
    .option('--json', 'print JSON')
    .action(async ({ by: typed, sort, limit, json, ...options }: GroupOptions) => {
      const by = SESSION_GROUPINGS.find((known) => known === typed)
      if (!by) throw new ConfigError([`--by must be ${SESSION_GROUPINGS.join(' or ')}.`])
      const sort_by = SESSION_GROUP_SORTS.find((known) => known === sort)
      if (!sort_by) throw new ConfigError([`--sort must be one of ${SESSION_GROUP_SORTS.join(', ')}.`])
      if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100) {
        throw new ConfigError(['--limit must be a number from 1 to 100.'])
      }
      const client = await signedIn(terminal)
      const query = { by, sort_by, per_page: limit, ...(await filterOf(client, options)) }
      const { body, total } = await client.call(operations.sessions.groups, { query })
      const lines = body.map(({ device, person, sessions, active, last_started_at: last }) => [
        device?.name ?? person?.name ?? 'nobody known',
        String(sessions),
        String(active),
        last,
      ])
      const rest = total > body.length ? [`${body.length} of ${total} groups.`] : []
      const headings = [by.toUpperCase(), 'SESSIONS', 'ACTIVE', 'LAST STARTED']
      show(terminal, json ? { json } : {}, body, [...table(headings, lines), ...rest])
    })
}
