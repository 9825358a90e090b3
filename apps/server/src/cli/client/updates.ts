// `bowline updates …`: updates of the agents of the namespace, for somebody who is signed in at a server.
import { ApiError } from '@bowline/contract/client'
import { ConfigError } from '@bowline/contract/config'
import { operations } from '@bowline/contract/operations'
import { type AgentUpdates, type Rollout, UpdatePolicy } from '@bowline/contract/schemas/fleet/agent-update'
import type { Command } from 'commander'
import { oneLine } from '../../gateway/record/device-text.ts'
import { type Format, type Terminal, show, table } from '../terminal.ts'
import { type ServerClient, signedIn } from './client.ts'

const { agentUpdates } = operations
const ACTIONS = {
  pause: 'Let no further device begin, until it is resumed',
  resume: 'Go on with a paused rollout',
  abort: 'End the rollout; devices that have the release keep it',
} as const
const WINDOW = /^([01]\d|2[0-3]):([0-5]\d)\+(\d{1,4})$/

interface PolicyOptions extends Format {
  readonly canaryTag?: string
  readonly window?: string
}

export function addUpdateCommands(program: Command, terminal: Terminal): void {
  const updates = program
    .command('updates')
    .description('Updates of the agents of the namespace that you are signed in to')
  updates
    .command('status')
    .description('Show what agents run, and how far the rollout is')
    .option('--json', 'print JSON')
    .action(async (format: Format) => {
      const { body } = await (await signedIn(terminal)).call(agentUpdates.get, {}).catch(explain)
      show(terminal, format, body, describe(body))
    })
  updates
    .command('policy <mode>')
    .description('Set when agents are updated: off, manual or automatic')
    .option('--canary-tag <tag>', 'devices with this tag come first; default: a tenth of all does')
    .option('--window <window>', 'when devices may begin, in UTC: HH:MM+minutes, as 01:30+120; default: at any time')
    .option('--json', 'print JSON')
    .action(async (mode: string, { canaryTag, window, ...format }: PolicyOptions) => {
      const body = policyOf(mode, canaryTag, window)
      await (await signedIn(terminal)).call(agentUpdates.setPolicy, { body }).catch(explain)
      show(terminal, format, body, [`Updates of agents are ${mode} now.`])
    })
  updates
    .command('start')
    .description('Roll out the release that the server has')
    .option('--json', 'print JSON')
    .action(async (format: Format) => {
      const { body } = await (await signedIn(terminal)).call(agentUpdates.start, {}).catch(explain)
      show(terminal, format, body, [rolloutLine(body)])
    })
  for (const [action, description] of Object.entries(ACTIONS) as [keyof typeof ACTIONS, string][]) {
    updates
      .command(action)
      .description(description)
      .option('--json', 'print JSON')
      .action(async (format: Format) => {
        const client = await signedIn(terminal)
        const { id } = await openRollout(client)
        await client.call(agentUpdates.act, { params: { id }, body: { action } }).catch(explain)
        const { body } = await client.call(agentUpdates.get, {})
        show(terminal, format, body.rollout, body.rollout ? [rolloutLine(body.rollout)] : [])
      })
  }
}

/** @throws {ConfigError} naming the value and its rule */
function policyOf(mode: string, tag: string | undefined, typed: string | undefined): UpdatePolicy {
  const [matched, hours = '', minutes = '', length = ''] = typed === undefined ? [] : (WINDOW.exec(typed) ?? [])
  if (typed !== undefined && matched === undefined) {
    throw new ConfigError(['The window must be HH:MM+minutes, such as 01:30+120.'])
  }
  const window = matched === undefined ? null : { start: Number(hours) * 60 + Number(minutes), minutes: Number(length) }
  const policy = UpdatePolicy.safeParse({ mode, canary_tag: tag ?? null, window })
  if (policy.success) return policy.data
  throw new ConfigError(policy.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`))
}

async function openRollout(client: ServerClient): Promise<Rollout> {
  const { rollout } = (await client.call(agentUpdates.get, {}).catch(explain)).body
  if (rollout === null || rollout.ended_at !== null) throw new Error('No rollout is in progress.')
  return rollout
}

function describe({ available, unavailable, blocked, policy, rollout, fleet, obstacles }: AgentUpdates): string[] {
  const { mode, canary_tag: tag, window } = policy
  const begin = window === null ? '' : `, from ${clockTime(window.start)} UTC for ${window.minutes} minutes`
  return [
    available === null
      ? `The server has no release for agents: ${unavailable}.`
      : `The server has release ${available.release} (${available.version}).`,
    ...(blocked === '' ? [] : [`No device updates now: ${blocked}.`]),
    `Updates are ${mode}${tag === null ? '' : `, devices tagged ${tag} first`}${begin}.`,
    ...(rollout === null ? [] : [rolloutLine(rollout)]),
    ...(fleet.length === 0
      ? []
      : table(
          ['RELEASE', 'DEVICES'],
          fleet.map(({ release, devices }) => [release === 0 ? 'unsigned' : String(release), String(devices)]),
        )),
    ...obstacles.map(({ reason, devices }) => `${devices} not updated: ${oneLine(reason)}`),
  ]
}

function rolloutLine({ release, state, stage, reason, devices }: Rollout): string {
  const { total, updated, failed } = devices
  const counts = `${updated} of ${total} devices have it, ${failed} failed`
  return `Release ${release}: ${state}${reason === '' ? '' : ` (${oneLine(reason)})`}, stage ${stage}; ${counts}.`
}

function clockTime(minutes: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

function explain(error: unknown): never {
  if (error instanceof ApiError && error.code === 'FRESH_PROOF_REQUIRED') {
    throw new Error('This namespace asks for your second factor before agents are updated: do it in the console.')
  }
  throw error
}
