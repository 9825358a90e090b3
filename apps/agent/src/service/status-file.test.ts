// The status file of a running agent: `bowline agent update` sends a signal to the process that it names.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readStatus, statusWriter } from './status-file.ts'

function written() {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-status-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  statusWriter(folder, { version: '1.0.0', server: 'bowline.example' })({ linked: true })
  const file = join(folder, 'status.json')
  return {
    folder,
    /** Another process with the id of the one that wrote the file, or what a change makes of it. */
    change: (change: object): void =>
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change })),
  }
}

test('tells of the process that wrote it', () => {
  const { folder } = written()
  expect(readStatus(folder)).toMatchObject({ pid: process.pid, linked: true })
})

test('is not of another process that has got the same id', () => {
  const { folder, change } = written()
  change({ started: 1 })
  expect(readStatus(folder)).toBeUndefined()
})

test('names no process but the one that wrote it', () => {
  const { folder, change } = written()
  const other = spawn('sleep', ['60'])
  onTestFinished(() => void other.kill())
  change({ pid: other.pid })
  expect(readStatus(folder)).toBeUndefined()
})
