// Runs the commands in a shell, with programs that stand for those that need a network or rights.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import {
  ansibleCommand,
  cloudInit,
  containerCommand,
  rolloutScript,
  scriptCommand,
  serviceCommand,
} from './platform-commands.ts'

const KEY = `ik-${'a'.repeat(26)}`
const TARGET = { origin: 'https://bowline.example', tenant: 'tenant', pin: 'sha256//abc+/=', key: KEY }
const WITHOUT = { ...TARGET, key: '' }

const bin = mkdtempSync(join(tmpdir(), 'bowline-commands-'))
afterAll(() => rmSync(bin, { recursive: true }))
const program = (name: string, text: string) => {
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
  chmodSync(join(bin, name), 0o755)
}
// What the server answers: a script that tells how it was started.
program('curl', `for url in "$@"; do :; done; echo "echo fetched '$url' with \\"\\$*\\" as \\\${AS:-user}"`)
program('sudo', 'AS=root exec "$@"')
program('dpkg-query', 'exit 0')
for (const name of ['podman', 'docker', 'ansible'])
  program(name, 'for word in "$@"; do printf "%s\\n--\\n" "$word"; done')

function run(command: string): string {
  const env = { PATH: `${bin}:${process.env['PATH']}` }
  const { stdout, stderr, status } = spawnSync('sh', ['-c', command], { encoding: 'utf8', env })
  expect([stderr, status]).toEqual(['', 0])
  return stdout.trim()
}

/** The arguments with which a program was called. */
const words = (output: string): string[] => output.split('\n--').map((word) => word.trim())

const fetched = (args: string, user = 'user') =>
  `fetched https://bowline.example/install.sh?tenant_id=tenant with ${args} as ${user}`

it.each([
  ['as a service', serviceCommand, fetched(`--key ${KEY}`, 'root'), fetched('', 'root')],
  ['without root', (target: typeof TARGET) => scriptCommand(target), fetched(`--key ${KEY}`), fetched('')],
  ['by a management tool', rolloutScript, fetched(`--key ${KEY}`), fetched('')],
])('installs %s, with an install key and without', (_, command, withKey, without) => {
  expect(run(command(TARGET))).toBe(withKey)
  expect(run(command(WITHOUT))).toBe(without)
})

it.each(['podman', 'docker'] as const)('runs the script in a container of %s, whose key outlives it', (engine) => {
  const args = words(run(containerCommand(engine, TARGET)))
  expect(args).toContain('bowline:/var/lib/bowline-agent')
  const script = args[args.indexOf('-c') + 1] ?? ''
  expect(args.slice(args.indexOf('-c') - 2, args.indexOf('-c'))).toEqual(['docker.io/library/debian:13', 'sh'])
  expect(run(script)).toBe(fetched(`--key ${KEY}`))
})

it('is one command of cloud-init, which passes a string to the shell', () => {
  const line = cloudInit(TARGET).split('\n').at(-1) ?? ''
  // A JSON string is a YAML string too.
  expect(run(JSON.parse(line.replace(/^ {2}- /, '')))).toBe(fetched(`--key ${KEY}`))
  expect(cloudInit(TARGET).startsWith('#cloud-config\n')).toBe(true)
})

it('is one argument of Ansible, which skips hosts that have the agent', () => {
  const args = words(run(ansibleCommand(TARGET)))
  const argument = args[args.indexOf('-a') + 1] ?? ''
  expect(argument).toMatch(/^creates=\/etc\/bowline\/agent\.env /)
  expect(run(argument.replace(/^creates=\S+ /, ''))).toBe(fetched(`--key ${KEY}`))
})
