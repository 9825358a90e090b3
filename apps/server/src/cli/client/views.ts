// `bowline views …`: saved views of lists, for somebody who is signed in at a server.
import { ConfigError } from '@bowline/contract/config'
import { operations } from '@bowline/contract/operations'
import { type SavedView, views } from '@bowline/contract/operations/fleet/views'
import { type Command, Option } from 'commander'
import { type Format, type Terminal, show, table } from '../terminal.ts'
import { signedIn } from './client.ts'
import { viewNamed } from './device-selection.ts'

const HEADINGS = ['NAME', 'OF', 'SHOWS', 'CREATED', 'ID']
const LISTS = ['devices', 'containers', 'sessions'] as const

interface ViewOptions extends Format {
  readonly list: SavedView['list']
}
interface ChangeOptions extends ViewOptions {
  readonly set: readonly string[]
  readonly shared?: boolean
  readonly rename?: string
}

const collect = (one: string, all: readonly string[]): string[] => [...all, one]
const SET = 'a parameter of the page in the console, such as tag=kiosk; repeated for a list of values'

export function addViewCommands(program: Command, terminal: Terminal): void {
  const group = program
    .command('views')
    .description('Saved views of lists: your own and those of your namespace, at the server that you are signed in to')
  const command = (name: string, description: string): Command =>
    group
      .command(name)
      .description(description)
      .addOption(new Option('--list <list>', 'views of this list').choices(LISTS).default('devices'))
      .option('--json', 'print JSON')

  command('list', 'List the views').action(async ({ list, ...format }: ViewOptions) => {
    const { call } = await signedIn(terminal)
    const { body } = await call(operations.views.list, { query: { list } })
    show(terminal, format, body, table(HEADINGS, body.map(cellsOf)))
  })

  command('show <name>', 'Show what a view shows').action(async (name: string, { list, ...format }: ViewOptions) => {
    const view = await viewNamed(await signedIn(terminal), name, list)
    show(terminal, format, view, [...table(HEADINGS, [cellsOf(view)]), '', JSON.stringify(view.query, null, 2)])
  })

  command('create <name>', 'Save a view')
    .option('--set <parameter=value>', SET, collect, [])
    .option('--shared', 'for everybody in the namespace')
    .action(async (name: string, { list, set, shared = false, json }: ChangeOptions) => {
      const query = queryOf(set)
      const { call } = await signedIn(terminal)
      const { body } = await call(views.create, { body: { name, list, shared, query } })
      show(terminal, json ? { json } : {}, body, [`Saved the view ${body.name}.`])
    })

  command('update <name>', 'Rename a view, or let it show something else')
    .option('--set <parameter=value>', `${SET}; what is not set is gone`, collect, [])
    .option('--rename <name>', 'the new name')
    .action(async (name: string, { list, set, rename, json }: ChangeOptions) => {
      if (set.length === 0 && rename === undefined) throw new ConfigError(['One of --set and --rename is needed.'])
      const query = set.length === 0 ? undefined : queryOf(set)
      const client = await signedIn(terminal)
      const { id } = await viewNamed(client, name, list)
      const change = { ...(rename === undefined ? {} : { name: rename }), ...(query ? { query } : {}) }
      await client.call(views.update, { params: { id }, body: change })
      show(terminal, json ? { json } : {}, { id, ...change }, [`Changed the view ${rename ?? name}.`])
    })

  command('remove <name>', 'Delete a view').action(async (name: string, { list, ...format }: ViewOptions) => {
    const client = await signedIn(terminal)
    const { id } = await viewNamed(client, name, list)
    await client.call(views.remove, { params: { id } })
    show(terminal, format, { id }, [`Deleted the view ${name}.`])
  })
}

/** Parameters of the page; one that is named twice is a list. @throws {ConfigError} */
function queryOf(settings: readonly string[]): SavedView['query'] {
  const query: Record<string, string | string[]> = {}
  for (const setting of settings) {
    const [, name, value] = /^(\w+)=(.+)$/s.exec(setting) ?? []
    if (name === undefined || value === undefined) throw new ConfigError(['--set must be parameter=value.'])
    const earlier = query[name]
    query[name] = earlier === undefined ? value : [earlier, value].flat()
  }
  return query
}

function cellsOf({ name, shared, query, created_at, id }: SavedView): string[] {
  const shows = Object.entries(query).map(([key, value]) => `${key}=${[value].flat().join(',')}`)
  return [name, shared ? 'namespace' : 'you', shows.join(' '), created_at, id]
}
