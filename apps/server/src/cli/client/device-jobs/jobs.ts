// `bowline jobs …`: the changes of many devices that somebody has asked for, at the server that they are signed in to.
import { operations } from '@bowline/contract/operations'
import { type DeviceJob, DeviceJobFailure } from '@bowline/contract/operations/fleet/device-jobs'
import type { Command } from 'commander'
import { type Format, type Terminal, show, table } from '../../terminal.ts'
import { signedIn } from '../client.ts'
import { formatOf, linesOf, printLines } from '../exported-lines.ts'

const { deviceJobs } = operations

interface FailureOptions {
  readonly cause?: string
  readonly format?: string
}

const HEADINGS = ['ID', 'CHANGE', 'STATE', 'DONE', 'FAILED', 'OF', 'BEGUN']

export function addJobCommands(program: Command, terminal: Terminal): void {
  const group = program
    .command('jobs')
    .description('Your changes of many devices, at the server that you are signed in to')
  const command = (name: string, description: string): Command =>
    group.command(name).description(description).option('--json', 'print JSON')

  command('list', 'List your changes: those that run, then the newest').action(async (format: Format) => {
    const { call } = await signedIn(terminal)
    const { body } = await call(deviceJobs.list, {})
    show(terminal, format, body, table(HEADINGS, body.map(cellsOf)))
  })

  command('show <id>', 'Print how far a change is, and what failed by cause').action(
    async (id: string, format: Format) => {
      const { call } = await signedIn(terminal)
      const { body } = await call(deviceJobs.get, { params: { id } })
      show(terminal, format, body, [...table(HEADINGS, [cellsOf(body)]), ...body.failures.map(failureLine)])
    },
  )

  addFailures(command('failures <id>', 'Print every device on which a change failed, with the cause'), terminal)

  command('stop <id>', 'Stop a change; what is done stays').action(async (id: string, format: Format) => {
    const { call } = await signedIn(terminal)
    await call(deviceJobs.stop, { params: { id } })
    show(terminal, format, { id }, [`Stopped the change ${id}.`])
  })

  command('retry <id>', 'Try a change again where it failed, and where a stop kept it from').action(
    async (id: string, format: Format) => {
      const { call } = await signedIn(terminal)
      const { body } = await call(deviceJobs.retry, { params: { id } })
      show(terminal, format, body, [`Started ${body.id} for ${body.total} of its devices.`])
    },
  )

  command('undo <id>', 'Take back what a change has done: tags, rejections and, for 15 minutes, acceptances').action(
    async (id: string, format: Format) => {
      const { call } = await signedIn(terminal)
      const { body } = await call(deviceJobs.undo, { params: { id } })
      show(terminal, format, body, [`Started ${body.id}, which takes back ${body.total} of its changes.`])
    },
  )
}

function addFailures(command: Command, terminal: Terminal): void {
  command
    .option('--cause <code>', 'only failures with this code, such as TAG_LIMIT')
    .option('--format <format>', 'csv, or jsonl for JSON lines')
    .action(async (id: string, { cause, format: typed, json }: Format & FailureOptions) => {
      const format = typed === undefined ? undefined : formatOf(typed)
      const client = await signedIn(terminal)
      const query = { ...(cause === undefined ? {} : { cause }), format: format ?? 'jsonl' }
      const answer = await client.open(deviceJobs.failures, { params: { id }, query })
      if (format !== undefined) return printLines(terminal, answer)
      const failures: DeviceJobFailure[] = []
      for await (const lines of linesOf(answer))
        failures.push(...lines.split('\n').map((line) => DeviceJobFailure.parse(JSON.parse(line))))
      const rows = failures.map(({ name, code, message }) => [name, code, message])
      show(terminal, json ? { json } : {}, failures, table(['DEVICE', 'CAUSE', 'MESSAGE'], rows))
    })
}

function cellsOf({ id, action, tags, state, done, failed, total, created_at: begun }: DeviceJob): string[] {
  return [id, [action, ...tags].join(' '), state, String(done), String(failed), String(total), begun]
}

function failureLine({ count, message, examples }: DeviceJob['failures'][number]): string {
  const others = count > examples.length ? `, and ${count - examples.length} more` : ''
  return `${count} failed: ${message} ${examples.join(', ')}${others}`
}
