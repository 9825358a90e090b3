// The report of an agent about its updates: it must reach the server whatever is on the disk.
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { AgentReport } from '@bowline/contract/schemas/fleet/agent-update'
import { updateKeyOf } from '@bowline/link/agent-manifest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { createLog } from '../log.ts'
import type { PackageMarker } from '../own-package.ts'
import { createUpdates, updateFileOf } from './updates.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-updates-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function parts(own?: PackageMarker) {
  const config = readConfig(
    {
      BOWLINE_SERVER_ADDRESS: 'https://bowline.example',
      BOWLINE_TENANT_ID: '00000000-0000-4000-8000-000000000000',
      BOWLINE_PRIVATE_KEY: join(folder, 'agent.key'),
      BOWLINE_UPDATE_KEY: updateKeyOf(generateKeyPairSync('ed25519').privateKey),
    },
    { singleUser: false, uid: 0 },
  )
  const lines: string[] = []
  const log = createLog('info', (line) => lines.push(line), false)
  const updates = createUpdates({
    config,
    log,
    clock: new ManualClock(),
    version: '1.0.0',
    announce: async () => true,
    handOver: () => {},
    isBusy: () => false,
    own,
  })
  return { file: updateFileOf(config), facts: () => updates.facts(), run: () => updates.run(), lines }
}

test('an interrupted attempt is reported as failed once it is not repeated', () => {
  const { file, facts } = parts()
  const reports = [1, 2, 3].map(() => {
    file.begin(6, 'manifest')
    file.failed('a power cut', true)
    return facts().failed
  })
  expect(reports).toEqual([undefined, undefined, { release: 6, reason: 'a power cut' }])
})

test('an attempt that came to nothing by itself is reported at once', () => {
  const { file, facts } = parts()
  file.begin(6, 'manifest')
  file.failed('it ended', false)
  expect(facts().failed).toEqual({ release: 6, reason: 'it ended' })
})

test.each(['not JSON', '{"version":2}'])('a file that cannot be read is reported as the obstacle: %s', (content) => {
  const { file, facts } = parts()
  writeFileSync(file.path, content)
  const report = facts()
  expect(report).toEqual({
    release: 0,
    obstacle: expect.stringContaining('agent.key.updates.json is damaged or of a newer version'),
  })
  expect(AgentReport.safeParse({ ...report, signature: 'x' }).error).toBeUndefined()
})

test('a reason is cut and made one line, so that the server takes the report', () => {
  const { file, facts } = parts()
  file.begin(6, 'manifest')
  file.failed(`it\nsaid\0${'x'.repeat(291)}\u{1f600}`, false)
  expect(facts().failed?.reason).toBe(`it said ${'x'.repeat(291)}\ufffd`)
})

test('an agent of a package answers an offer with who upgrades it, and tells the server', async () => {
  const own = { manager: 'apt', package: 'bowline-agent', program: 'bowline-agent-1.0.0-11111111', release: 7 }
  const { facts, run, lines } = parts(own)
  const reason = 'it is of the package bowline-agent, which apt upgrades'
  expect(facts().obstacle).toBe(reason)
  await run()
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ ev: 'update.not-here', reason })])
})
