// `npm run matrix:routes -- [NAME=PATH[,TRANSPORT] …]`: OpenSSH's rows of the board by every way that Bowline has to a device, existing
// agents at the paths among them. Prints a table and writes it as data for the docs.
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { thisMachine } from '@bowline/testkit/place'
import { canMakeDevices } from '../support/device.ts'
import { root } from '../support/product.ts'
import { startAgentless, startAgentlessDropbear, startPlainDropbear } from './agentless.ts'
import { type Verdict, compareRow } from './board.ts'
import { openssh } from './clients/openssh.ts'
import { sessions } from './clients/sessions.ts'
import { git, rsync, x11 } from './clients/tools.ts'
import { startWithContainer } from './container.ts'
import { existingAgent } from './existing-agent.ts'
import type { Row } from './row.ts'
import { type StartBowline, startSites } from './sites.ts'

const DATA = join(root, 'apps/docs/data/conformance-routes.json')
const rows = [...openssh('OpenSSH', thisMachine), ...sessions(), ...rsync(), ...git(), ...x11()]
const print = (line: string): unknown => process.stdout.write(`${line}\n`)

if (!canMakeDevices) {
  process.stderr.write('The board needs root: it makes an account in a view of /etc of its own.\n')
  process.exit(1)
}

/** All of them use this machine's OpenSSH. */
const nameOf = ({ client, feature }: Row): string => `${client.replace(/ [\d.]+$/, '')}: ${feature}`

/** How Bowline reaches the device, and the SSH server to compare with; defaults as in {@link startSites}. */
type Route = readonly [start?: StartBowline, peer?: typeof startPlainDropbear]
const routes: Record<string, Route> = {
  'Agent of Bowline': [],
  'Without an agent: OpenSSH': [startAgentless],
  'Without an agent: Dropbear': [startAgentlessDropbear, startPlainDropbear],
  Container: [startWithContainer],
}
for (const argument of process.argv.slice(2)) {
  const [, name = '', path = '', transport] = /^([^=]+)=([^,]+)(?:,([12]))?$/.exec(argument) ?? []
  if (path === '') throw new Error(`${argument} must be NAME=PATH or NAME=PATH,TRANSPORT`)
  routes[name] = [existingAgent(resolve(path), transport)]
}

/** OpenSSH's client hangs in some rows with a server that is not of its kind. */
const hangs = async (): Promise<Verdict> => {
  await pause(90_000, undefined, { ref: false })
  return { is: 'failed', on: 'bowline', error: 'no end after 90 s' }
}

/** `alone`: the feature does not work with the device's own SSH server either. */
const wordOf = (verdict: Verdict): Verdict['is'] | 'alone' =>
  verdict.is === 'failed' && verdict.on === 'sshd' ? 'alone' : verdict.is

const verdicts: Record<string, Record<string, ReturnType<typeof wordOf>>> = {}
for (const [name, route] of Object.entries(routes)) {
  print(`\n${name}`)
  await using sites = await startSites(1, ...route)
  for (const row of rows) {
    const feature = nameOf(row)
    const verdict = await Promise.race([compareRow(row, sites), hangs()])
    const results = (verdicts[feature] ??= {})
    results[name] = wordOf(verdict)
    if (verdict.is !== 'equal')
      print(`  ${verdict.is.padEnd(10)}${feature}\n    ${JSON.stringify(verdict).slice(0, 600)}`)
  }
  const equal = rows.filter((row) => verdicts[nameOf(row)]?.[name] === 'equal').length
  print(`  ${equal} of ${rows.length} rows give the same result as with the device's own SSH server.`)
}
await writeFile(DATA, `${JSON.stringify({ routes: Object.keys(routes), rows: verdicts }, undefined, 2)}\n`)
print(`Written to ${DATA.slice(root.length + 1)}`)
// A client that hangs would keep this process.
process.exit(0)
