import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const AGENT = `
const { spawnProcess } = await import(${JSON.stringify(join(import.meta.dirname, 'spawn.ts'))})
const { exitOf } = await import(${JSON.stringify(join(import.meta.dirname, 'exits.ts'))})
const alive = setInterval(() => {}, 1_000)
exitOf(spawnProcess({ path: '/bin/sh', argv: ['sh', '-c', 'ulimit -Sn; ulimit -Hn'], env: [], stdio: [0, 1, 2] }), () => clearInterval(alive))
`

test.each(['512', '2000'])("runs user processes with the agent's initial limit of open files (%s)", (soft) => {
  const script = `ulimit -Sn ${soft}; ulimit -Hn 4000; "$0" --input-type=module -e "$1"; exit $?`
  const limits = execFileSync('sh', ['-c', script, process.execPath, AGENT], { encoding: 'utf8' })
  expect(limits).toBe(`${soft}\n4000\n`)
})
