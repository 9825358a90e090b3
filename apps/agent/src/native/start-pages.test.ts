import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const MODULE = fileURLToPath(new URL('./start-pages.ts', import.meta.url))

/** A separate process: memory residency of this one depends on every other test. */
const SCRIPT = `
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { releaseStartPages } from ${JSON.stringify(MODULE)}
const fileKb = () => Number(/RssFile:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
const before = fileKb()
releaseStartPages()
const after = fileKb()
const digest = createHash('sha256').update('still works').digest('hex')
console.log(JSON.stringify({ before, after, digest, sorted: [3, 1, 2].sort(), text: new Intl.NumberFormat('en').format(1e6) }))
`

test('releases most of the pages read at startup, and everything still works', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT], { encoding: 'utf8' })
  expect(stderr).toBe('')
  const { before, after, ...rest } = JSON.parse(stdout)
  expect(after).toBeLessThan(before / 2)
  expect(rest).toEqual({
    digest: 'c934d274d99a620ace1eeb0fdc751d2fb608e0831c7655d44397db30bb50d53c',
    sorted: [1, 2, 3],
    text: '1,000,000',
  })
})
