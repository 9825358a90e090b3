// Runs the fake server with a few devices that connect and disconnect, for trying the console by hand: node
// scripts/run.js apps/console/src/testing/serve-fake.ts [port]
import { join } from 'node:path'
import { startFakeServer } from './fake-server.ts'

const fake = await startFakeServer(join(import.meta.dirname, '../../dist'), Number(process.argv[2] ?? 4173))
for (let count = 0; count < 40; count += 1) fake.state.addDevice()
const uids = [...fake.state.devices.keys()]
fake.state.addDevice({ name: 'greenhouse-pi', status: 'pending', online: false })
fake.state.addDevice({ name: 'unknown-laptop', status: 'rejected', online: false })
setInterval(() => {
  const device = fake.state.devices.get(uids[Math.floor(Math.random() * uids.length)] ?? '')
  if (device) fake.state.setOnline(device.uid, !device.online)
}, 3_000)
process.stdout.write(`${fake.origin}  sign in as ada / correct horse\n`)
