// `bowline firewall …`: firewall rules of the namespace, for somebody who is signed in at a server.
import { ApiError } from '@bowline/contract/client'
import { ConfigError } from '@bowline/contract/config'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { AttemptBody, type Rule, RuleBody, RuleId } from '@bowline/contract/schemas/firewall'
import type { Command } from 'commander'
import { ExitStatus, type Format, type Terminal, show, table } from '../terminal.ts'
import { type ServerClient, signedIn } from './client.ts'
import { plainTerminal } from './plain-terminal.ts'
import { deviceNamed } from './session-selection.ts'

const { firewall } = operations
const HEADINGS = ['RULE', 'PRIORITY', 'ACTION', 'FROM', 'LOGIN', 'DEVICES', 'STATE']
const ANY = '.*'
const DENIED = 1

interface AddOptions extends Format {
  readonly from: readonly string[]
  readonly fromPattern: string
  readonly user: string
  readonly device?: string
  readonly tag: readonly string[]
  readonly priority: string
  readonly inactive?: boolean
}

const collect = (one: string, all: readonly string[]): string[] => [...all, one]

export function addFirewallCommands(program: Command, raw: Terminal): void {
  const terminal = plainTerminal(raw)
  const rules = program
    .command('firewall')
    .description('Firewall rules of your namespace, at the server that you are signed in to')

  rules
    .command('list')
    .description('List the rules in the order in which they are evaluated')
    .option('--json', 'print JSON')
    .action(async (format: Format) => {
      const all = await everyRule(await signedIn(terminal))
      show(terminal, format, all, table(HEADINGS, all.map(cellsOf)))
    })

  rules
    .command('add <action>')
    .description('Add a rule that allows or denies connections')
    .option('--from <network>', 'from this network or address, such as 10.0.0.0/8; may be repeated', collect, [])
    .option('--from-pattern <pattern>', 'from addresses that this pattern (RE2) is found in', ANY)
    .option('--user <pattern>', 'to users of the device that this pattern is found in', ANY)
    .option('--device <pattern>', 'to devices whose name this pattern is found in; default: to all')
    .option('--tag <tag>', 'to devices with this tag; may be repeated', collect, [])
    .option('--priority <number>', 'the highest is evaluated first', '10')
    .option('--inactive', 'do not apply it yet')
    .option('--json', 'print JSON')
    .action(async (action: string, { json, ...options }: AddOptions) => {
      const body = bodyOf(action, options)
      const { call } = await signedIn(terminal)
      const { body: rule } = await call(firewall.create, { body }).catch(explain)
      show(terminal, json ? { json } : {}, rule, [`Added rule ${rule.id}.`])
    })

  rules
    .command('remove <rule>')
    .description('Remove a rule')
    .option('--json', 'print JSON')
    .action(async (typed: string, format: Format) => {
      const id = RuleId.safeParse(typed)
      if (!id.success) throw new ConfigError(['The rule must be its number, as list prints it.'])
      const { call } = await signedIn(terminal)
      await call(firewall.remove, { params: { id: id.data } }).catch(explain)
      show(terminal, format, { id: id.data }, [`Removed rule ${id.data}.`])
    })

  rules
    .command('test <device> <address>')
    .description('Tell whether a connection would be allowed, and which rule decides; status 1: denied')
    .option('--user <name>', 'user of the device', 'root')
    .option('--json', 'print JSON')
    .action(async (device: string, address: string, { user, ...format }: Format & { readonly user: string }) => {
      const fields = AttemptBody.omit({ device: true }).safeParse({ username: user, address })
      if (!fields.success) throw new ConfigError(problemsOf(fields.error))
      const { call } = await signedIn(terminal)
      const body = { ...fields.data, device: await deviceNamed(call, device) }
      const { body: verdict } = await call(firewall.evaluate, { body })
      const because = verdict.rule === null ? 'no rule matches' : `rule ${verdict.rule} decides`
      show(terminal, format, verdict, [`${verdict.allow ? 'Allowed' : 'Denied'}: ${because}.`])
      if (!verdict.allow) throw new ExitStatus(DENIED, 'The firewall denies this connection.')
    })
}

/** In evaluation order: the list is by ascending priority, oldest first among equals. */
async function everyRule({ call }: ServerClient): Promise<Rule[]> {
  const all: Rule[] = []
  for (let page = 1; page <= Math.ceil(LIMITS.policy.rules / LIMITS.perPage.max); page += 1) {
    const query = { page: String(page), per_page: String(LIMITS.perPage.max) }
    const { body, total } = await call(firewall.list, { query })
    all.push(...body)
    if (body.length === 0 || all.length >= total) break
  }
  return all.toReversed()
}

/** @throws {ConfigError} naming what is wrong */
function bodyOf(action: string, options: Omit<AddOptions, 'json'>): RuleBody {
  const { from, fromPattern, user, device, tag, priority, inactive } = options
  if (device !== undefined && tag.length > 0) throw new ConfigError(['--device and --tag exclude each other.'])
  if (from.length > 0 && fromPattern !== ANY) throw new ConfigError(['--from and --from-pattern exclude each other.'])
  const body = RuleBody.safeParse({
    action,
    active: inactive !== true,
    priority: /^\d{1,10}$/.test(priority) ? Number(priority) : priority,
    source_ip: fromPattern,
    source_networks: from,
    username: user,
    filter: tag.length > 0 ? { tags: tag } : { hostname: device ?? ANY },
  })
  if (!body.success) throw new ConfigError(problemsOf(body.error))
  return body.data
}

function problemsOf({ issues }: { readonly issues: readonly { path: PropertyKey[]; message: string }[] }): string[] {
  return issues.map(({ path, message }) => `${path.join('.')} ${message}.`)
}

function cellsOf({ id, priority, action, source_ip, source_networks, username, filter, active }: Rule): string[] {
  const from = source_networks.length > 0 ? source_networks.join(',') : source_ip
  const devices = filter.tags ? `tags ${filter.tags.join(',')}` : (filter.hostname ?? '')
  return [String(id), String(priority), action, from, username, devices, active ? 'active' : 'inactive']
}

/** @throws {Error} always: what the server answered, in words for a command line */
function explain(error: unknown): never {
  if (error instanceof ApiError && error.code === 'FRESH_PROOF_REQUIRED') {
    throw new Error('This namespace asks for your second factor before rules change: change them in the console.')
  }
  throw error
}
