// `bowline firewall …`: firewall rules of the namespace, for somebody who is signed in at a server.
import { readFile } from 'node:fs/promises'
import { ApiError } from '@bowline/contract/client'
import { ConfigError } from '@bowline/contract/config'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { AttemptBody, type Rule, RuleBody, RuleId } from '@bowline/contract/schemas/firewall'
import type { Member } from '@bowline/contract/schemas/namespace'
import { type DryRun, DryRunBody } from '@bowline/contract/schemas/policy/dry-run'
import { changesTo } from '@bowline/contract/schemas/policy/rule-changes'
import type { Command } from 'commander'
import { ExitStatus, type Format, type Terminal, show, table } from '../../terminal.ts'
import { type ServerClient, signedIn } from '../client.ts'
import { memberNamed, membersOf } from '../members.ts'
import { deviceNamed } from '../sessions/session-selection.ts'
import { make } from './apply.ts'

const { firewall } = operations
const HEADINGS = ['RULE', 'PRIORITY', 'ACTION', 'PEOPLE', 'FROM', 'LOGIN', 'DEVICES', 'STATE']
const EXAMPLES = ['EFFECT', 'STARTED', 'LOGIN', 'PERSON', 'ADDRESS', 'RULE']
const DRY_RUN = 'only tell what it would have done to the sessions of the last seven days'
const YES = 'also if you lose devices that you can reach now'
const ANY = '.*'
const DENIED = 1

interface AddOptions extends Format {
  readonly from: readonly string[]
  readonly fromPattern: string
  readonly user: string
  readonly person: readonly string[]
  readonly role: readonly string[]
  readonly device?: string
  readonly tag: readonly string[]
  readonly priority: string
  readonly inactive?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

interface RemoveOptions extends Format {
  readonly dryRun?: boolean
  readonly yes?: boolean
}

interface TestOptions extends Format {
  readonly user: string
  readonly person?: string
}

const collect = (one: string, all: readonly string[]): string[] => [...all, one]

export function addFirewallCommands(program: Command, terminal: Terminal): void {
  const rules = program
    .command('firewall')
    .description('Firewall rules of your namespace, at the server that you are signed in to')

  rules
    .command('list')
    .description('List the rules in the order in which they are evaluated')
    .option('--json', 'print JSON')
    .action(async (format: Format) => {
      const client = await signedIn(terminal)
      const all = await everyRule(client)
      const members = all.some(({ people }) => people.length > 0) ? await membersOf(terminal, client) : []
      const cells = all.map((rule) => cellsOf(rule, members))
      show(terminal, format, all, table(HEADINGS, cells))
    })

  rules
    .command('add <action>')
    .description('Add a rule that allows or denies connections')
    .option('--from <network>', 'from this network or address, such as 10.0.0.0/8; may be repeated', collect, [])
    .option('--from-pattern <pattern>', 'from addresses that this pattern (RE2) is found in', ANY)
    .option('--user <pattern>', 'to users of the device that this pattern is found in', ANY)
    .option('--person <address>', 'of the member with this e-mail address; may be repeated', collect, [])
    .option('--role <role>', 'of members with this role; may be repeated', collect, [])
    .option('--device <pattern>', 'to devices whose name this pattern is found in; default: to all')
    .option('--tag <tag>', 'to devices with this tag; may be repeated', collect, [])
    .option('--priority <number>', 'the highest is evaluated first', '10')
    .option('--inactive', 'do not apply it yet')
    .option('--dry-run', DRY_RUN)
    .option('--yes', YES)
    .option('--json', 'print JSON')
    .action(async (action: string, { json, dryRun, yes, ...options }: AddOptions) => {
      const fields = bodyOf(action, options)
      const client = await signedIn(terminal)
      const members = options.person.length > 0 ? await membersOf(terminal, client) : []
      const body = { ...fields, people: options.person.map((address) => memberNamed(members, address)) }
      if (dryRun) return tryOut(terminal, client, { rule: body }, json ? { json } : {})
      if (!yes) await requireReach(client, { rule: body })
      const { body: rule } = await client.call(firewall.create, { body }).catch(explain)
      return show(terminal, json ? { json } : {}, rule, [`Added rule ${rule.id}.`])
    })

  rules
    .command('remove <rule>')
    .description('Remove a rule')
    .option('--dry-run', DRY_RUN)
    .option('--yes', YES)
    .option('--json', 'print JSON')
    .action(async (typed: string, { dryRun, yes, ...format }: RemoveOptions) => {
      const id = RuleId.safeParse(typed)
      if (!id.success) throw new ConfigError(['The rule must be its number, as list prints it.'])
      const client = await signedIn(terminal)
      if (dryRun) return tryOut(terminal, client, { id: id.data }, format)
      if (!yes) await requireReach(client, { id: id.data })
      await client.call(firewall.remove, { params: { id: id.data } }).catch(explain)
      return show(terminal, format, { id: id.data }, [`Removed rule ${id.data}.`])
    })

  rules
    .command('dry-run <file>')
    .description('Tell what all rules of a file, as list --json prints them and changed as you like, would do')
    .option('--json', 'print JSON')
    .action(async (file: string, format: Format) => {
      const body = await listIn(file)
      await tryOut(terminal, await signedIn(terminal), body, format)
    })

  rules
    .command('apply <file>')
    .description(
      'Make the rules those of a file, as list --json prints them: others are removed; twice is the same as once',
    )
    .option('--dry-run', DRY_RUN)
    .option('--yes', YES)
    .option('--json', 'print JSON')
    .action(async (file: string, { dryRun, yes, ...format }: RemoveOptions) => {
      const body = await listIn(file)
      const client = await signedIn(terminal)
      const present = await everyRule(client)
      requireKnown(present, body)
      if (dryRun) return tryOut(terminal, client, body, format)
      if (!yes) await requireReach(client, body)
      const changes = changesTo(present, body.rules ?? [])
      const done: string[] = []
      for (const change of changes) {
        try {
          done.push(await make(client, change).catch(explain))
        } catch (error) {
          stopAfter(done, changes.length, error)
        }
      }
      return show(terminal, format, { changes }, done.length > 0 ? done : ['The rules are those of the file already.'])
    })

  rules
    .command('test <device> <address>')
    .description('Tell whether a connection would be allowed, and which rule decides; status 1: denied')
    .option('--user <name>', 'user of the device', 'root')
    .option('--person <address>', 'who connects: e-mail address of a member; without it nobody is known')
    .option('--json', 'print JSON')
    .action(async (device: string, address: string, { user, person, ...format }: TestOptions) => {
      const fields = AttemptBody.omit({ device: true }).safeParse({ username: user, address })
      if (!fields.success) throw new ConfigError(problemsOf(fields.error))
      const client = await signedIn(terminal)
      const who = person === undefined ? {} : { person: memberNamed(await membersOf(terminal, client), person) }
      const body = { ...fields.data, ...who, device: await deviceNamed(client.call, device) }
      const { body: verdict } = await client.call(firewall.evaluate, { body })
      const because = verdict.rule === null ? 'no rule matches' : `rule ${verdict.rule} decides`
      show(terminal, format, verdict, [`${verdict.allow ? 'Allowed' : 'Denied'}: ${because}.`])
      if (!verdict.allow) throw new ExitStatus(DENIED, 'The firewall denies this connection.')
    })
}

/** Prints the effect that a change would have had, and makes none. */
async function tryOut(terminal: Terminal, { call }: ServerClient, body: DryRunBody, format: Format): Promise<void> {
  const { body: result } = await call(firewall.tryChange, { body })
  const { sessions, since, complete, blocked, allowed, caller } = result
  const examples = [
    ...blocked.examples.map((one) => ['blocked', ...cellsOfExample(one)]),
    ...allowed.examples.map((one) => ['allowed', ...cellsOfExample(one)]),
  ]
  show(terminal, format, result, [
    `Of ${sessions} sessions since ${since}${complete ? '' : ', which are not all,'} ${blocked.sessions} would have been blocked and ${allowed.sessions} let in.`,
    ...(caller.cut_off > 0
      ? [`You would lose ${caller.cut_off} of the ${caller.devices} devices that you have reached.`]
      : []),
    ...(caller.lost > 0
      ? [`You would lose ${caller.lost} of the ${caller.reachable} devices that you can reach now.`]
      : []),
    ...(examples.length > 0 ? ['', ...table(EXAMPLES, examples)] : []),
  ])
}

/** A file with all rules. @throws {ConfigError} naming what is wrong in it */
async function listIn(file: string): Promise<DryRunBody> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new ConfigError([`${file} cannot be read.`])
  })
  let rules: unknown
  try {
    rules = JSON.parse(text)
  } catch {
    throw new ConfigError([`${file} is not JSON.`])
  }
  const body = DryRunBody.safeParse({ rules })
  if (!body.success) throw new ConfigError(problemsOf(body.error))
  return body.data
}

/** @throws {Error} when the change takes devices away that the person can reach now */
async function requireReach({ call }: ServerClient, body: DryRunBody): Promise<void> {
  const { caller } = (await call(firewall.tryChange, { body })).body
  if (caller.lost === 0) return
  throw new Error(
    `You would lose ${caller.lost} of the ${caller.reachable} devices that you can reach now. Nothing was changed; --yes changes it all the same.`,
  )
}

function cellsOfExample(example: DryRun['blocked']['examples'][number]): string[] {
  const { started_at, username, device, address, person, rule, proposed } = example
  const login = `${username}@${device.name}`.replaceAll(/\s+/g, ' ')
  return [started_at, login, person?.name ?? '', address, proposed ? 'this' : String(rule ?? 'none')]
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
  const { from, fromPattern, user, role, device, tag, priority, inactive } = options
  if (device !== undefined && tag.length > 0) throw new ConfigError(['--device and --tag exclude each other.'])
  if (from.length > 0 && fromPattern !== ANY) throw new ConfigError(['--from and --from-pattern exclude each other.'])
  const body = RuleBody.safeParse({
    action,
    active: inactive !== true,
    priority: /^\d{1,10}$/.test(priority) ? Number(priority) : priority,
    source_ip: fromPattern,
    source_networks: from,
    username: user,
    roles: role,
    filter: tag.length > 0 ? { tags: tag } : { hostname: device ?? ANY },
  })
  if (!body.success) throw new ConfigError(problemsOf(body.error))
  return body.data
}

function problemsOf({ issues }: { readonly issues: readonly { path: PropertyKey[]; message: string }[] }): string[] {
  return issues.map(({ path, message }) => `${path.join('.')} ${message}.`)
}

function cellsOf(rule: Rule, members: readonly Member[]): string[] {
  const { id, priority, action, source_ip, source_networks, username, filter, active } = rule
  const names = rule.people.map((person) => members.find((member) => member.id === person)?.email ?? person)
  const people = [...rule.roles, ...names].join(',') || 'anyone'
  const from = source_networks.length > 0 ? source_networks.join(',') : source_ip
  const devices = filter.tags ? `tags ${filter.tags.join(',')}` : (filter.hostname ?? '')
  return [String(id), String(priority), action, people, from, username, devices, active ? 'active' : 'inactive']
}

/** @throws {ConfigError} when the file names a rule that is not there */
function requireKnown(present: readonly Rule[], { rules = [] }: DryRunBody): void {
  const unknown = rules.flatMap(({ id }) => (id === undefined || present.some((rule) => rule.id === id) ? [] : [id]))
  if (unknown.length === 0) return
  throw new ConfigError(unknown.map((id) => `There is no rule ${id}: leave its id out to add it.`))
}

/** @throws {Error} always: what went wrong, and how far it came */
function stopAfter(done: readonly string[], all: number, error: unknown): never {
  const why = error instanceof Error ? error.message : String(error)
  throw new Error([...done, `${done.length} of ${all} changes were made: ${why}`].join('\n'), { cause: error })
}

/** @throws {Error} always: what the server answered, in words for a command line */
function explain(error: unknown): never {
  if (error instanceof ApiError && error.code === 'FRESH_PROOF_REQUIRED') {
    throw new Error('This namespace asks for your second factor before rules change: change them in the console.')
  }
  throw error
}
