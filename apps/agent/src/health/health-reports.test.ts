// Reports about this machine itself, over a link.
import { statfsSync } from 'node:fs'
import { cpus, totalmem, uptime } from 'node:os'
import { HealthReport } from '@bowline/link/stream-messages'
import { RecordedStream } from '@bowline/link/testing/pair'
import { until } from '@bowline/testkit/until'
import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { startAgent } from '../testing.ts'
import { createHealthReports } from './health-reports.ts'

const log = createLog('silent', () => undefined, false)

async function answerTo(poll: RecordedStream) {
  await until(() => poll.cause !== undefined)
  return { reports: poll.messages.map((message) => HealthReport.parse(message)), cause: poll.cause }
}

test('a device reports its health once for each poll', async () => {
  const { gateway, errors } = startAgent({ health: createHealthReports(log) })
  const { reports, cause } = await answerTo(RecordedStream.open(gateway, 'health'))
  expect(reports).toHaveLength(1)
  expect(cause).toMatchObject({ by: 'agent', reason: 'done' })
  const [report] = reports
  expect(report?.cpus).toBe(cpus().length)
  expect(report?.memory.totalBytes).toBe(totalmem())
  expect(report?.memory.availableBytes).toBeGreaterThan(0)
  expect(Math.abs((report?.uptimeSeconds ?? 0) - uptime())).toBeLessThan(60)
  const root = statfsSync('/')
  const own = report?.filesystems.find(({ path }) => path === '/')
  expect(own?.totalBytes).toBe((root.blocks - (root.bfree - root.bavail)) * root.bsize)
  expect(errors).toEqual([])
})

test('one of several polls at once is answered; the others are refused, and the link stays', async () => {
  const { gateway } = startAgent({ health: createHealthReports(log) })
  const polls = [1, 2, 3].map(() => RecordedStream.open(gateway, 'health'))
  const answers = await Promise.all(polls.map(answerTo))
  expect(answers.map(({ reports }) => reports.length)).toEqual([1, 0, 0])
  expect(answers.map(({ cause }) => cause?.reason)).toEqual(['done', 'busy', 'busy'])
  expect((await answerTo(RecordedStream.open(gateway, 'health'))).reports).toHaveLength(1)
})

test('a device whose operator has switched it off refuses', async () => {
  const { gateway } = startAgent()
  const { reports, cause } = await answerTo(RecordedStream.open(gateway, 'health'))
  expect(reports).toEqual([])
  expect(cause).toMatchObject({ by: 'agent', reason: 'refused' })
})
