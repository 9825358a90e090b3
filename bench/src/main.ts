// `npm run bench`: compares the product with OpenSSH on this machine, prints a table and writes JSON. README.md
// explains each row and how to read it.
import { mkdtemp, chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine } from './machine.ts'
import type { BenchOptions } from './options.ts'
import { hasOwnView, mayHaveOwnView, runInOwnView } from './own-view.ts'
import { topOfProfiles } from './measure/profile.ts'
import type { Row } from './row.ts'
import { verdictOf } from './row.ts'
import { measureAgent } from './rows/agent.ts'
import { measureBulk } from './rows/bulk.ts'
import { measureConnect } from './rows/connect.ts'
import { measureFloor } from './rows/floor.ts'
import { measureHop } from './rows/hop.ts'
import { measureFormer } from './rows/former.ts'
import { measureApi } from './rows/api.ts'
import { measureHttpTunnel } from './rows/http-tunnel.ts'
import { measureIdleAgents } from './rows/idle-agents.ts'
import { measureKeystroke } from './rows/keystroke.ts'
import { measureLink } from './rows/link.ts'
import { measureNodes } from './rows/nodes.ts'
import { measureRecording } from './rows/recording.ts'
import { measureRestart } from './rows/restart.ts'
import { measureSftp } from './rows/sftp.ts'
import { measureSsh } from './rows/ssh.ts'
import { measureTools } from './rows/tools.ts'
import { measureTunnel } from './rows/tunnel.ts'
import { renderTable } from './table.ts'

const GROUPS: Readonly<Record<string, (options: BenchOptions) => Promise<Row[]>>> = {
  bulk: measureBulk,
  floor: measureFloor,
  ssh: measureSsh,
  former: measureFormer,
  link: measureLink,
  connect: measureConnect,
  keystroke: measureKeystroke,
  agent: measureAgent,
  idle: measureIdleAgents,
  restart: measureRestart,
  recording: measureRecording,
  tools: measureTools,
  sftp: measureSftp,
  api: measureApi,
  tunnel: measureTunnel,
  hop: measureHop,
  nodes: measureNodes,
  'http-tunnel': measureHttpTunnel,
}
const USAGE = `npm run bench -- [options]
  --rows <names>       ${Object.keys(GROUPS).join(',')} (default: all)
  --repeats <count>    interleaved rounds that count (default 5)
  --megabytes <count>  size of one bulk transfer (default 256)
  --agents <count>     simulated agents (default 2000)
  --devices <count>    devices of the large namespace (default 100000)
  --node-flags=<flags> flags of Node to try on server and agent, separated by spaces
  --json <file>        where the JSON goes (default: none)
  --profile <folder>   writes CPU profiles of server and agent there and prints where their time went`

if (mayHaveOwnView() && !hasOwnView()) process.exit(await runInOwnView())
const { values } = readArguments()
const names = values.rows.split(',')
const unknown = names.filter((name) => !(name in GROUPS))
if (values.help || unknown.length > 0) {
  console.error(unknown.length > 0 ? `There is no row group named ${unknown.join(', ')}.\n${USAGE}` : USAGE)
  process.exit(values.help ? 0 : 2)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))
// The servers get the bench's own settings, not those of the calling shell.
for (const name of Object.keys(process.env)) if (name.startsWith('BOWLINE_')) delete process.env[name]

const folder = await mkdtemp(join(tmpdir(), 'bowline-bench-'))
await chmod(folder, 0o711)
const profiles = values.profile === undefined ? undefined : resolve(values.profile)
if (profiles) await mkdir(profiles, { recursive: true })
const options: BenchOptions = {
  folder,
  repeats: count('repeats'),
  megabytes: count('megabytes'),
  agents: count('agents'),
  devices: count('devices'),
  nodeFlags: (name) => [
    ...(values['node-flags']?.split(' ') ?? []),
    ...(profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`, `--cpu-prof-name=${name}.cpuprofile`] : []),
  ],
  say: (text) => void process.stderr.write(`${text}\n`),
}

const machine = describeMachine()
const rows: Row[] = []
const failures: { group: string; message: string }[] = []
for (const name of names) {
  options.say(`— ${name}`)
  try {
    rows.push(...((await GROUPS[name]?.(options)) ?? []))
  } catch (error) {
    failures.push({ group: name, message: withCause(error) })
  }
}

console.log(machine.text)
if (rows.length > 0) console.log(renderTable(rows))
for (const { group, message } of failures) console.log(`${group} could not be measured: ${message}`)
if (profiles) console.log(await topOfProfiles(profiles))
if (values.json !== undefined) {
  const judged = rows.map((row) => ({ ...row, verdict: verdictOf(row) }))
  const result = { machine: machine.facts, repeats: options.repeats, rows: judged, failures }
  await writeFile(values.json, `${JSON.stringify(result, undefined, 2)}\n`)
}
await rm(folder, { recursive: true, force: true })
process.exit(failures.length > 0 ? 1 : 0)

function count(name: 'repeats' | 'megabytes' | 'agents' | 'devices'): number {
  const value = Number(values[name])
  if (Number.isInteger(value) && value > 0) return value
  console.error(`--${name} must be a whole number above 0.\n${USAGE}`)
  return process.exit(2)
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        rows: { type: 'string', default: Object.keys(GROUPS).join(',') },
        repeats: { type: 'string', default: '5' },
        megabytes: { type: 'string', default: '256' },
        agents: { type: 'string', default: '2000' },
        devices: { type: 'string', default: '100000' },
        'node-flags': { type: 'string' },
        json: { type: 'string' },
        profile: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    return process.exit(2)
  }
}

/** `fetch` describes the failure only in its cause. */
function withCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
