// The agent as a service of a machine with OpenRC. What does not depend on the service manager is tested with systemd.
import type { Device } from '@bowline/contract/schemas/device'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installCommand } from '../apps/console/src/features/devices/commands.ts'
import { buildStale, OWN_AGENT } from '../scripts/build.ts'
import { acceptDevice } from './support/agent.ts'
import { type BootedMachine, bootMachine, bootProblem, openRc, USER } from './support/booted-machine.ts'
import { type Server, startServer } from './support/server.ts'
import { ssh } from './support/ssh.ts'
import { showOnFailure } from './support/told.ts'
import { until } from './support/wait.ts'

const problem = bootProblem(openRc)
let server: Server
let machine: BootedMachine
let device: Device
showOnFailure(() => ({ server: server.process }))

beforeAll(async () => {
  if (problem !== undefined) return
  await buildStale([OWN_AGENT])
  server = await startServer({})
  machine = await bootMachine(openRc, 'ruled')
})
afterAll(async () => {
  await machine?.remove()
  await server?.remove()
})

/** Runs a line on the machine that must succeed. @returns what it said, without the last line end */
function run(line: string): string {
  const { status, stdout, stderr } = machine.run(line)
  // OpenRC of Debian complains of old-style scripts that are not there, also when all is well.
  expect([line, status, status === 0 ? '' : stderr]).toEqual([line, 0, ''])
  return stdout.trimEnd()
}

const install = () => run(installCommand(server.origin, server.tenant, server.pin))
const agentPid = () => /"pid":(\d+)/.exec(machine.run('bowline agent status --json').stdout)?.[1]
const linked = () => until('the agent is linked', () => machine.run('bowline agent status').status === 0)
const login = (command: string) =>
  ssh({ ...server.ssh, login: `${USER.name}@${device.namespace}.${device.name}`, password: USER.password }, [command])

describe.skipIf(problem !== undefined)(`a machine with OpenRC (${problem ?? 'booted here'})`, () => {
  it('gets the agent as a service of its default runlevel; people log in as its users', async () => {
    expect(install()).toMatch(/bowline-agent-\S+ is installed as a service of OpenRC; starting it/)
    device = await acceptDevice(await server.client(), 'ruled')
    const { stdout, stderr } = await login('id -un; env | grep -e ^BOWLINE_ -e ^RUNTIME_DIRECTORY -e ^RC_; true')
    expect([stdout.toString(), stderr]).toEqual([`${USER.name}\n`, ''])
    expect(run('rc-update show default')).toContain('bowline-agent')
  })

  it('keeps settings and log from everybody but root', () => {
    expect(run('stat -c %a /etc/bowline /etc/bowline/agent.env /var/log/bowline-agent.log')).toBe('700\n600\n600')
  })

  it('a crash is followed by a new start; what people left running survives a restart', async () => {
    await linked()
    const { stdout, stderr } = await login('setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $!')
    const left = stdout.toString().trim()
    expect([left, stderr]).toEqual([expect.stringMatching(/^\d+$/), ''])
    const before = agentPid()
    run(`kill -KILL ${before}`)
    await until('there is a new agent', () => agentPid() !== undefined && agentPid() !== before)
    run('rc-service bowline-agent restart')
    await linked()
    expect((await login('echo back')).stdout.toString()).toBe('back\n')
    run(`kill ${left}`)
  })

  it('installed once more with nothing new goes on running', () => {
    const before = agentPid()
    expect(install()).toMatch(/is installed already, and runs/)
    expect(agentPid()).toBe(before)
  })

  it('is taken away again', () => {
    run('bowline agent uninstall')
    expect(machine.run('rc-service bowline-agent status').status).not.toBe(0)
    expect(run('ls -A /etc/bowline /usr/local/lib /usr/local/bin')).toBe(
      '/etc/bowline:\nagent.key\nagent.key.statement.json\n\n/usr/local/bin:\n\n/usr/local/lib:',
    )
    expect(machine.run("pgrep -f '^/usr/local/lib/bowline'").stdout).toBe('')
  })
})
