// Bowline's route to a device that runs an existing agent.
import { join } from 'node:path'
import { acceptDevice } from '../support/agent.ts'
import { startServer } from '../support/server.ts'
import { settingsOf } from '../existing-agents/settings.ts'
import { type StartBowline, registerKeys } from './sites.ts'

const NAME = 'board'

/** @param program path of the agent @param transport undefined: the agent's default */
export function existingAgent(program: string, transport?: string): StartBowline {
  return async (world, stack) => {
    const { device } = world
    const server = await startServer()
    stack.defer(() => server.remove())
    device.run([program], settingsOf(server, { name: NAME, keyFile: join(device.folder, 'existing.key'), transport }))
    const client = await server.client()
    await registerKeys(world, client)
    const { namespace } = await acceptDevice(client, NAME)
    const { account } = device
    return { ...server.ssh, login: `${account.name}@${namespace}.${NAME}`, password: account.password }
  }
}
