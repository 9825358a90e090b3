// `npm run agents:existing -- PATH [1|2|connector]`: runs the board of existing agents against the program at PATH, by the
// given transport where it has several, or as the connector of a container engine. As root: it makes an account in a view of
// /etc of its own.
import { chmodSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { acceptDevice } from '../support/agent.ts'
import { canMakeDevices, makeDevice } from '../support/device.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/wait.ts'
import { connectorBoard } from './connector.ts'
import { openBoard } from './row.ts'
import { type World, rows } from './rows.ts'
import { settingsOf } from './settings.ts'

const print = (line: string): unknown => process.stdout.write(`${line}\n`)
const [path, mode] = process.argv.slice(2)
if (path === undefined || !canMakeDevices) {
  process.stderr.write('usage, as root: npm run agents:existing -- PATH [1|2|connector]\n')
  process.exit(1)
}

const NAME = 'old-device'
const board = openBoard(print)
if (mode === 'connector') await connectorBoard(resolve(path), board)
else await deviceBoard(resolve(path), mode)
process.exit(board.end())

async function deviceBoard(program: string, transport: string | undefined): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const server = await startServer()
  stack.defer(() => server.remove())
  // Their shells are started with --login, which dash does not know.
  const machine = makeDevice({ shell: '/bin/bash' })
  stack.defer(() => machine.remove())
  const folder = join(machine.folder, 'board')
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  const settings = settingsOf(server, { name: NAME, keyFile: join(machine.folder, 'old.key'), transport })
  const agent = machine.run([program], settings)
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
  for (const row of rows) await board.row(row.name, () => row.run(world))
}
