// `bowline device health`: the last report of a device and its values over a period, for somebody who is signed in at a server.
import { operations } from '@bowline/contract/operations'
import { HEALTH_PERIODS, type HealthHistory } from '@bowline/contract/operations/fleet/health'
import type { DeviceHealth } from '@bowline/contract/schemas/fleet/health'
import { type Command, Option } from 'commander'
import { type Format, type Terminal, show, table } from '../terminal.ts'
import { signedIn } from '../client/client.ts'
import { deviceNamed } from '../client/sessions/session-selection.ts'

type Measure = Exclude<keyof HealthHistory['points'][number], 'at'>
interface HealthOptions extends Format {
  readonly period: (typeof HEALTH_PERIODS)[number]
}

const PERIODS = { day: '24 HOURS', month: '30 DAYS' } as const
const GIB = 1_073_741_824
const MEASURES: readonly (readonly [Measure, string, (value: number) => string])[] = [
  ['cpu', 'processors', percent],
  ['load', 'load per processor', (load) => load.toFixed(2)],
  ['memory', 'memory', percent],
  ['disk', 'fullest filesystem', percent],
  ['latency_ms', 'round trip', (time) => `${Math.round(time)} ms`],
]
const WITHOUT_VALUES = {
  reported: 'reports',
  off: 'switched off by the operator of the device',
  unsupported: 'its agent is too old to report',
} as const

/** @param device the group of commands about devices */
export function addDeviceHealthCommand(device: Command, terminal: Terminal): void {
  device
    .command('health <device>')
    .description('Show the last report of a device, by its name or uid, and its values over a day or a month')
    .addOption(
      new Option('--period <period>', 'the last 24 hours, or the last 30 days').choices(HEALTH_PERIODS).default('day'),
    )
    .option('--json', 'print JSON')
    .action(async (typed: string, { period, json }: HealthOptions) => {
      const { call } = await signedIn(terminal)
      const uid = await deviceNamed(call, typed)
      const { body } = await call(operations.health.ofDevice, { params: { uid }, query: { period } })
      show(terminal, json ? { json } : {}, body, [
        ...table(['DEVICE', typed], factsOf(body.latest)),
        '',
        ...table(
          [PERIODS[period], 'LOWEST', 'AVERAGE', 'HIGHEST'],
          MEASURES.map((measure) => summaryOf(measure, body)),
        ),
      ])
    })
}

function factsOf(latest: DeviceHealth | null): string[][] {
  if (!latest) return [['state', 'has never reported']]
  const { state, reported_at, cpus, memory_bytes, memory_available_bytes, filesystems, booted_at, troubles } = latest
  const now = MEASURES.map(([measure, name, format]) => [name, valueOf(latest[measure], format)] as const)
  const details: Readonly<Record<string, string>> = {
    processors: cpus === null ? '' : ` of ${cpus}`,
    memory:
      memory_bytes === null || memory_available_bytes === null
        ? ''
        : `, ${gib(memory_available_bytes)} of ${gib(memory_bytes)} available`,
  }
  return [
    ['state', WITHOUT_VALUES[state]],
    ['reported', reported_at],
    ['up since', booted_at ?? ''],
    ['troubles', troubles.join(', ') || 'none'],
    ...now.map(([name, value]) => [name, value === '' ? '' : `${value}${details[name] ?? ''}`]),
    ...filesystems.map(({ path, free_bytes, total_bytes }) => [
      'filesystem',
      `${oneLine(path)}: ${gib(free_bytes)} of ${gib(total_bytes)} free`,
    ]),
  ].filter(([, value]) => value !== '')
}

function summaryOf([measure, name, format]: (typeof MEASURES)[number], { points }: HealthHistory): string[] {
  const values = points.flatMap((point) => point[measure] ?? [])
  if (values.length === 0) return [name, '-', '-', '-']
  const average = values.reduce((sum, value) => sum + value, 0) / values.length
  return [name, ...[Math.min(...values), average, Math.max(...values)].map(format)]
}

const valueOf = (value: number | null, format: (value: number) => string): string =>
  value === null ? '' : format(value)

/** Never rounded up to 100 %: a disk is full only when nothing is left. */
function percent(value: number): string {
  return `${value < 100 ? Math.min(99, Math.round(value)) : value} %`
}

const gib = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GiB`

/** Devices choose their paths, and line ends would make rows of their own. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')
