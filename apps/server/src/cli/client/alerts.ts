// `bowline alerts …`: alert rules of the namespace, for somebody who is signed in at a server.
import { ApiError } from '@bowline/contract/client'
import { ConfigError } from '@bowline/contract/config'
import { operations } from '@bowline/contract/operations'
import { ALERT_CONDITIONS, AlertBody, type AlertRule } from '@bowline/contract/operations/fleet/alerts'
import type { Command } from 'commander'
import { type Format, type Terminal, show, table } from '../terminal.ts'
import { type ServerClient, signedIn } from './client.ts'
import { type FilterOptions, deviceFilterOf, withDeviceFilter } from './device-selection.ts'
import { memberNamed, membersOf } from './members.ts'

const { alerts } = operations
const HEADINGS = ['NAME', 'CONDITION', 'MINUTES', 'FROM', 'ABOUT', 'TELLS', 'STATE']
const MESSAGES = ['CREATED', 'STATE', 'ATTEMPTS', 'ANSWER', 'MESSAGE']

interface AddOptions extends Format, FilterOptions {
  readonly minutes: string
  readonly devices?: string
  readonly threshold?: string
  readonly tag: readonly string[]
  readonly webhook?: string
  readonly slack?: string
  readonly mail: readonly string[]
}

const collect = (one: string, all: readonly string[]): string[] => [...all, one]

export function addAlertCommands(program: Command, terminal: Terminal): void {
  const rules = program
    .command('alerts')
    .description('Alert rules of your namespace, at the server that you are signed in to')

  rules
    .command('list')
    .description('List the rules')
    .option('--json', 'print JSON')
    .action(async (format: Format) => {
      const { call } = await signedIn(terminal)
      const { body } = await call(alerts.list, {})
      show(terminal, format, body, table(HEADINGS, body.map(cellsOf)))
    })

  const add = rules
    .command('add <name> <condition>')
    .description(
      `Add a rule; the condition is one of ${ALERT_CONDITIONS.join(', ')}. The secret of a webhook is shown this once`,
    )
    .option(
      '--minutes <number>',
      'offline for so long, within so long, back after so long, or beyond the threshold for so long',
      '5',
    )
    .option('--devices <number>', 'for many-offline: so many devices at least')
    .option(
      '--threshold <number>',
      'for disk and memory: percent; for load: that of each processor; for latency: milliseconds',
    )
    .option('--tag <tag>', 'devices with this tag; may be repeated', collect, [])
  withDeviceFilter(add)
    .option('--webhook <url>', 'tell this address, with a signature')
    .option('--slack <url>', 'tell this incoming webhook of Slack')
    .option('--mail <address>', 'mail the member with this address; may be repeated', collect, [])
    .option('--json', 'print JSON')
    .action(async (name: string, condition: string, { json, ...options }: AddOptions) => {
      const fields = bodyOf(name, condition, options)
      const client = await signedIn(terminal)
      const members = options.mail.length > 0 ? await membersOf(terminal, client) : []
      const body = { ...fields, recipients: options.mail.map((address) => memberNamed(members, address)) }
      const { body: rule } = await client.call(alerts.create, { body }).catch(explain)
      const lines = [`Added the alert rule ${rule.name}.`]
      if (rule.secret !== null) lines.push(`Secret: ${rule.secret}`)
      show(terminal, json ? { json } : {}, rule, lines)
    })

  rules
    .command('remove <name>')
    .description('Remove a rule')
    .option('--json', 'print JSON')
    .action(async (name: string, format: Format) => {
      const client = await signedIn(terminal)
      const { id } = await ruleNamed(client, name)
      await client.call(alerts.remove, { params: { id } })
      show(terminal, format, { id }, [`Removed the alert rule ${name}.`])
    })

  rules
    .command('test <name>')
    .description('Send a test message')
    .option('--json', 'print JSON')
    .action(async (name: string, format: Format) => {
      const client = await signedIn(terminal)
      const { id } = await ruleNamed(client, name)
      const { body } = await client.call(alerts.test, { params: { id } })
      show(terminal, format, body, [`Test message on its way: bowline alerts log '${name}' tells what becomes of it.`])
    })

  rules
    .command('renew-secret <name>')
    .description('Replace the secret of a webhook; it is shown this once')
    .option('--json', 'print JSON')
    .action(async (name: string, format: Format) => {
      const client = await signedIn(terminal)
      const { id } = await ruleNamed(client, name)
      const { body } = await client.call(alerts.renewSecret, { params: { id } }).catch(explain)
      show(terminal, format, body, [`Secret: ${body.secret}`])
    })

  rules
    .command('log <name>')
    .description('List the latest messages of a rule')
    .option('--json', 'print JSON')
    .action(async (name: string, format: Format) => {
      const client = await signedIn(terminal)
      const { id } = await ruleNamed(client, name)
      const { body } = await client.call(alerts.deliveries, { params: { id }, query: { per_page: '50' } })
      const cells = body.map(({ created_at, state, attempts, answer, text }) => [
        created_at,
        state,
        String(attempts),
        answer,
        text,
      ])
      show(terminal, format, body, table(MESSAGES, cells))
    })
}

/** @throws {Error} when none, or more than one, has the name */
async function ruleNamed({ call }: ServerClient, name: string): Promise<AlertRule> {
  const { body } = await call(alerts.list, {})
  const found = body.filter((rule) => rule.name === name || rule.id === name)
  const [rule] = found
  if (!rule) throw new Error(`The namespace has no alert rule named ${name}.`)
  if (found.length > 1) throw new Error(`Several alert rules are named ${name}: use the id, as list --json prints it.`)
  return rule
}

/** @throws {ConfigError} naming what is wrong */
function bodyOf(name: string, condition: string, options: Omit<AddOptions, 'json'>): AlertBody {
  const { minutes, devices, threshold, tag, webhook, slack, mail } = options
  const targets = [webhook, slack, mail.length > 0 ? mail : undefined].filter((target) => target !== undefined)
  if (targets.length !== 1) throw new ConfigError(['One of --webhook, --slack and --mail is needed.'])
  const body = AlertBody.safeParse({
    name,
    condition,
    minutes: numberOf(minutes),
    devices: devices === undefined ? null : numberOf(devices),
    threshold: threshold === undefined ? null : numberOf(threshold),
    tags: tag,
    filter: deviceFilterOf(options) ?? '',
    target: webhook === undefined ? (slack === undefined ? 'mail' : 'slack') : 'webhook',
    url: webhook ?? slack ?? null,
  })
  if (body.success) return body.data
  throw new ConfigError(body.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`))
}

const numberOf = (text: string): number | string => (/^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : text)

function cellsOf(rule: AlertRule): string[] {
  const { name, condition, minutes, devices, threshold, tags, filter, target, host, recipients, ...rest } = rule
  const { active, failing_since } = rest
  const tells = target === 'mail' ? `${recipients.length} by mail` : `${target} ${host}`
  const state = active ? (failing_since === null ? 'on' : 'failing') : 'off'
  const least = String(devices ?? threshold ?? '')
  const about = [...tags, ...(filter === '' ? [] : ['(filter)'])].join(',') || 'all'
  return [name, condition, String(minutes), least, about, tells, state]
}

/** @throws {Error} always: what the server answered, in words for a command line */
function explain(error: unknown): never {
  if (error instanceof ApiError && error.code === 'FRESH_PROOF_REQUIRED') {
    throw new Error('This namespace asks for your second factor before alert rules change: change them in the console.')
  }
  throw error
}
