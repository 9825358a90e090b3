// `bowline billing …`: what waits for the payment provider, and what differs from it.
import { ConfigError } from '@bowline/contract/config'
import { systemClock } from '@bowline/base/clock'
import type { Command } from 'commander'
import type { BillingDeps } from '../../billing/deps.ts'
import { listDifferences } from '../../billing/differences-store.ts'
import { countWaiting, replayEvents } from '../../billing/events/store.ts'
import { reconcile } from '../../billing/reconcile.ts'
import { stripeSettings } from '../../billing/settings.ts'
import { createLog } from '../../platform/log.ts'
import { type Instance, onInstance } from '../instance.ts'
import { type Format, type Terminal, show, table } from '../terminal.ts'

const SHOWN = 20
const HOUR_MS = 3_600_000

export function addBillingCommands(program: Command, terminal: Terminal): void {
  const billing = program.command('billing').description('subscriptions at the payment provider (cloud edition)')

  billing
    .command('status')
    .description('Show work that waits for the provider, and what reconciliations found last')
    .option('--json', 'print JSON')
    .action((format: Format) =>
      onInstance(terminal, async ({ system, settings }) => {
        const provider = stripeSettings(settings) ? 'stripe' : 'none'
        const waiting = await countWaiting(system)
        const differences = await listDifferences(system, SHOWN)
        show(terminal, format, { provider, waiting, differences }, [
          `Provider: ${provider}`,
          `Events to apply: ${waiting.events}`,
          `Subscriptions to end: ${waiting.endings}`,
          `Failed at least once: ${waiting.failing}`,
          ...differenceTable(differences.map((one) => ({ ...one, found: one.found_at.toISOString() }))),
        ])
      }),
    )

  billing
    .command('replay')
    .description('Apply the events of the last hours again; a running server does it within half a minute')
    .option('--hours <hours>', 'how far back', '24')
    .option('--json', 'print JSON')
    .action(({ hours, ...format }: Format & { hours: string }) =>
      onInstance(terminal, async ({ system }) => {
        const now = systemClock.now()
        const since = new Date(now - hoursOf(hours) * HOUR_MS)
        const events = await replayEvents(system, { since, now: new Date(now) })
        show(terminal, format, { events }, [`Events to apply again: ${events}`])
      }),
    )

  billing
    .command('reconcile')
    .description('Compare every customer with the provider and correct what differs')
    .option('--json', 'print JSON')
    .action((format: Format) =>
      onInstance(terminal, async (instance) => {
        const found = await reconcile(await depsOf(instance))
        show(terminal, format, found, [
          `Accounts compared: ${found.accounts}`,
          `Differences: ${found.differences.length}`,
          ...differenceTable(found.differences.map((one) => ({ ...one, found: 'now' }))),
          ...found.failures.map((one) => `Not compared: ${one.tenant_id}: ${one.message}`),
        ])
      }),
    )
}

interface Row {
  readonly found: string
  readonly namespace_id: string
  readonly customer_id: string
  readonly field: string
  readonly ours: string
  readonly theirs: string
}

function differenceTable(rows: readonly Row[]): string[] {
  if (rows.length === 0) return []
  return table(
    ['FOUND', 'NAMESPACE', 'CUSTOMER', 'FIELD', 'HERE', 'PROVIDER'],
    rows.map((one) => [one.found, one.namespace_id, one.customer_id, one.field, one.ours, one.theirs]),
  )
}

/** Events are kept for 90 days. */
function hoursOf(text: string): number {
  const hours = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (hours < 1 || hours > 2_160) throw new ConfigError(['--hours must be a whole number from 1 to 2160.'])
  return hours
}

async function depsOf({ system, settings, contextOf }: Instance): Promise<BillingDeps> {
  const stripe = stripeSettings(settings)
  if (!stripe) {
    throw new ConfigError(['This server has no payment provider: BOWLINE_STRIPE_SECRET_KEY is not set.'])
  }
  const { createStripe } = await import('../../billing/provider/stripe.ts')
  return {
    system,
    contextOf,
    clock: systemClock,
    log: createLog('fatal', 2),
    provider: createStripe(stripe),
    // Nobody returns to the console from here.
    origin: () => '',
  }
}
