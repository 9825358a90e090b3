// `bowline tag-rules …`: rules that tag devices, for somebody who is signed in at a server.
import { ApiError } from '@bowline/contract/client'
import { ConfigError } from '@bowline/contract/config'
import { operations } from '@bowline/contract/operations'
import type { TagRule, TagRuleEffect } from '@bowline/contract/operations/fleet/tag-rules'
import type { Command } from 'commander'
import { type Format, type Terminal, show, table } from '../../terminal.ts'
import { type ServerClient, signedIn } from '../client.ts'

const { tagRules } = operations
const HEADINGS = ['ID', 'TAG', 'DEVICES THAT MATCH', 'TAGGED', 'STATE']

const DRY_RUN = ['--dry-run', 'print what it would do, and change nothing'] as const

interface ChangeOptions extends Format {
  readonly dryRun?: boolean
}

interface UpdateOptions extends ChangeOptions {
  readonly tag?: string
  readonly query?: string
  readonly on?: boolean
  readonly off?: boolean
}

export function addTagRuleCommands(program: Command, terminal: Terminal): void {
  const group = program
    .command('tag-rules')
    .description('Rules of your namespace that tag devices, at the server that you are signed in to')
  const command = (name: string, description: string): Command =>
    group.command(name).description(description).option('--json', 'print JSON')

  command('list', 'List the rules, and how far they have been applied').action(async (format: Format) => {
    const { call } = await signedIn(terminal)
    const { body } = await call(tagRules.list, {})
    const left = body.waiting === 0 ? [] : [`They are still to be tried on ${body.waiting} of ${body.devices} devices.`]
    show(terminal, format, body, [...table(HEADINGS, body.rules.map(cellsOf)), ...left])
  })

  command('add <tag> <query>', 'Tag the devices that match a search, now and later')
    .option(...DRY_RUN)
    .action(async (tag: string, query: string, { dryRun = false, ...format }: ChangeOptions) => {
      const { call } = await signedIn(terminal)
      if (dryRun) {
        const { body } = await call(tagRules.tryChange, { body: { tag, query } })
        show(terminal, format, body, effectOf(body))
        return
      }
      const { body } = await call(tagRules.create, { body: { tag, query } }).catch(explain)
      show(terminal, format, body, [`Added the rule ${body.id}: ${matchesOf(body)}.`])
    })

  command('update <id>', 'Change a rule')
    .option('--tag <tag>', 'the tag that it gives')
    .option('--query <query>', 'the search')
    .option('--on', 'switch it on')
    .option('--off', 'switch it off: its tags are removed')
    .option(...DRY_RUN)
    .action(async (id: string, { tag, query, on = false, off = false, dryRun = false, ...format }: UpdateOptions) => {
      if (on && off) throw new ConfigError(['--on and --off exclude each other.'])
      const change = {
        ...(tag === undefined ? {} : { tag }),
        ...(query === undefined ? {} : { query }),
        ...(on || off ? { active: on } : {}),
      }
      if (Object.keys(change).length === 0) throw new ConfigError(['One of --tag, --query, --on and --off is needed.'])
      const client = await signedIn(terminal)
      const rule = await ruleOf(client, id)
      if (dryRun) {
        const { body } = await client.call(tagRules.tryChange, {
          body: { id: rule.id, tag: rule.tag, query: rule.query, active: rule.active, ...change },
        })
        show(terminal, format, body, effectOf(body))
        return
      }
      const { body } = await client.call(tagRules.update, { params: { id: rule.id }, body: change }).catch(explain)
      show(terminal, format, body, [`Changed the rule ${body.id}: ${matchesOf(body)}.`])
    })

  command('remove <id>', 'Delete a rule and remove its tags from the devices').action(
    async (id: string, format: Format) => {
      const client = await signedIn(terminal)
      const rule = await ruleOf(client, id)
      await client.call(tagRules.remove, { params: { id: rule.id } }).catch(explain)
      show(terminal, format, { id: rule.id }, [`Deleted the rule ${rule.id}.`])
    },
  )
}

/** @throws {Error} when none has the id */
async function ruleOf({ call }: ServerClient, id: string): Promise<TagRule> {
  const { body } = await call(tagRules.list, {})
  const found = body.rules.find((rule) => rule.id === id)
  if (!found) throw new Error(`The namespace has no tag rule ${id}; bowline tag-rules list prints them.`)
  return found
}

function counted(devices: number): string {
  return devices === 1 ? '1 device' : `${devices} devices`
}

function matchesOf({ matching }: Pick<TagRule, 'matching'>): string {
  return `${counted(matching)} ${matching === 1 ? 'matches' : 'match'}`
}

function effectOf(effect: TagRuleEffect): string[] {
  const { matching, names, tagged, untagged } = effect
  const more = matching > names.length ? ' …' : ''
  return [
    `${matchesOf(effect)}${names.length === 0 ? '' : `: ${names.join(', ')}${more}`}.`,
    `${counted(tagged)} would get the tag, ${counted(untagged)} would lose it.`,
  ]
}

function cellsOf({ id, tag, query, tagged, matching, active }: TagRule): string[] {
  return [id, tag, query, `${tagged} of ${matching}`, active ? 'on' : 'off']
}

/** @throws {Error} always: what the server answered, in words for a command line */
function explain(error: unknown): never {
  if (error instanceof ApiError && error.code === 'FRESH_PROOF_REQUIRED') {
    throw new Error('This namespace asks for your second factor before tag rules change: change them in the console.')
  }
  throw error
}
