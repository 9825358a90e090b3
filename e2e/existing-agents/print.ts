// `npm run agents:existing -- PATH [1|2]`: runs the board of existing agents against the program at PATH, by the given transport
// where it has several. As root: it makes an account in a view of /etc of its own.
import { chmodSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { acceptDevice } from '../support/agent.ts'
import { canMakeDevices, makeDevice } from '../support/device.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/wait.ts'
import { type World, rows } from './rows.ts'

const print = (line: string): unknown => process.stdout.write(`${line}\n`)
const [path, transport] = process.argv.slice(2)
if (path === undefined || !canMakeDevices) {
  process.stderr.write('usage, as root: npm run agents:existing -- PATH [1|2]\n')
  process.exit(1)
}

const NAME = 'old-device'
const server = await startServer()
// Their shells are started with --login, which dash does not know.
const machine = makeDevice({ shell: '/bin/bash' })
const folder = join(machine.folder, 'board')
mkdirSync(folder)
chmodSync(folder, 0o777)
let failures = 0
try {
  const agent = machine.run([resolve(path)], {
    SHELLHUB_SERVER_ADDRESS: server.origin,
    SHELLHUB_TENANT_ID: server.tenant,
    SHELLHUB_PRIVATE_KEY: join(machine.folder, 'old.key'),
    SHELLHUB_PREFERRED_HOSTNAME: NAME,
    SHELLHUB_PREFERRED_IDENTITY: NAME,
    ...(transport === undefined ? {} : { SHELLHUB_TRANSPORT_VERSION: transport }),
  })
  const api = await server.client()
  const pending = await until('the pending device is online', async () => {
    const { body } = await api.call(operations.devices.list, { query: { status: 'pending' } })
    return body.find(({ online }) => online)
  })
  print(`${pending.name}: ${pending.info?.version}, ${pending.info?.pretty_name}, online while pending`)
  const device = await acceptDevice(api, NAME)
  const { account } = machine
  const login = `${account.name}@${device.namespace}.${device.name}`
  const target = { ...server.ssh, login, password: account.password }
  const world: World = { server, machine, target, uid: device.uid, agent, folder }
  for (const row of rows) {
    try {
      print(`  ok      ${row.name} (${await row.run(world)})`)
    } catch (error) {
      failures += 1
      print(`  FAILED  ${row.name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
} finally {
  await machine.remove()
  await server.remove()
}
print(`${rows.length - failures} of ${rows.length} rows are as they should be.`)
process.exit(failures === 0 ? 0 : 1)
