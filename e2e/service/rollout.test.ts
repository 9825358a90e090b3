// The commands of a rollout, as the console shows them, on a machine with systemd: they install once, and the install key
// accepts and tags the device.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type InstallTarget,
  cloudInit,
  rolloutScript,
} from '../../apps/console/src/features/devices/add/platform-commands.ts'
import { untilOnline } from '../support/agent.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { bootProblem, systemd } from '../support/machines/booted-machine.ts'
import { type ServicedMachine, bootServicedMachine } from '../support/machines/serviced-machine.ts'
import { until } from '../support/wait.ts'

const problem = bootProblem(systemd)
let scene: ServicedMachine
showOnFailure(() => ({ server: scene?.server.process }))
beforeAll(async () => {
  if (problem === undefined) scene = await bootServicedMachine(systemd, 'rolled-out')
})
afterAll(() => scene?.remove())

describe.skipIf(problem !== undefined)(`a rollout to a machine with systemd (${problem ?? 'booted here'})`, () => {
  let target: InstallTarget

  it('installs by the script, and the key accepts and tags the device', async () => {
    const { server } = scene
    const client = await server.client()
    const { body } = await client.call(operations.installKeys.create, { body: { name: 'rollout', tags: ['kiosk'] } })
    target = { origin: server.origin, tenant: server.tenant, pin: server.pin, key: body.key }
    expect(scene.run(rolloutScript(target))).toMatch(/is installed as a service of systemd/)
    const device = await until('the device is accepted', async () => {
      const { body: devices } = await client.call(operations.devices.list, {})
      return devices.find(({ name }) => name === 'rolled-out')
    })
    await untilOnline(client, device.uid)
    expect(device.tags).toEqual(['kiosk'])
  })

  it('does nothing when the tool runs it again', () => {
    expect(scene.run(rolloutScript(target))).toBe('')
  })

  it('installs by the command of cloud-init', () => {
    scene.run('bowline agent uninstall')
    const [command = ''] = cloudInit(target).split('\n').slice(-1)
    expect(scene.run(JSON.parse(command.replace(/^ {2}- /, '')))).toMatch(/is installed as a service of systemd/)
  })
})
