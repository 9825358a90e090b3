// The operator's program for DNS: what it is given, what it may know, and what its failure says.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { recordOf, runHook } from './dns-hook.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-hook-'))
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => {
  delete process.env['BOWLINE_SECRET_KEY']
  delete process.env['HOOK_TEST_TOKEN']
})

const RECORD = { record: '_acme-challenge.example.com', value: '$(touch pwned); -rf' }
const never = new AbortController().signal

async function program(name: string, lines: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  return file
}

it('the value of a record is the hash of the proof', () => {
  expect(recordOf('example.com', 'token.thumbprint')).toEqual({
    record: '_acme-challenge.example.com',
    value: '61rBZ_4knHblO0MNoxFsXZ_eTFUHum0B6IVRbhvUn5I',
  })
})

it('the program gets its arguments as they are, and the environment without settings of the server', async () => {
  process.env['BOWLINE_SECRET_KEY'] = 'must not be seen'
  process.env['HOOK_TEST_TOKEN'] = 'for the program'
  const file = await program('args', `printf '%s\\n' "$@" > ${folder}/args.txt; env > ${folder}/env.txt`)
  await runHook(file, 'add', RECORD, never)
  expect(await readFile(join(folder, 'args.txt'), 'utf8')).toBe(`add\n${RECORD.record}\n${RECORD.value}\n`)
  const environment = await readFile(join(folder, 'env.txt'), 'utf8')
  expect(environment).toContain('HOOK_TEST_TOKEN=for the program')
  expect(environment).not.toContain('BOWLINE_')
})

it('a failure has the status and the last line of the error output, without control characters', async () => {
  const file = await program('fails', `echo first >&2; printf 'no \\033[31mrights\\n' >&2; exit 3`)
  await expect(runHook(file, 'remove', RECORD, never)).rejects.toThrow(
    'BOWLINE_ACME_DNS_HOOK could not remove _acme-challenge.example.com (status 3): no [31mrights',
  )
})

it('a program that is still running ends with the order', async () => {
  const file = await program('hangs', 'exec sleep 600')
  const late = new AbortController()
  const run = runHook(file, 'add', RECORD, late.signal)
  late.abort()
  await expect(run).rejects.toThrow('could not add')
})
