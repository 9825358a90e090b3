// The agent as an OpenRC service. Everything independent of the service manager is tested with systemd.
import type { Device } from '@bowline/contract/schemas/device'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acceptDevice } from '../support/agent.ts'
import { bootProblem, openRc, USER } from '../support/machines/booted-machine.ts'
import { type ServicedMachine, bootServicedMachine } from '../support/machines/serviced-machine.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { until } from '../support/wait.ts'

const problem = bootProblem(openRc)
let scene: ServicedMachine
let device: Device
showOnFailure(() => ({ server: scene?.server.process }))

beforeAll(async () => {
  if (problem === undefined) scene = await bootServicedMachine(openRc, 'ruled')
})
afterAll(() => scene?.remove())

const run = (line: string) => scene.run(line)
const agentPid = () => /"pid":(\d+)/.exec(scene.machine.run('bowline agent status --json').stdout)?.[1]
const login = (command: string) => scene.login(device, command)

describe.skipIf(problem !== undefined)(`a machine with OpenRC (${problem ?? 'booted here'})`, () => {
  it('installs the agent as a service of the default runlevel; people log in as its users', async () => {
    expect(scene.install()).toMatch(/bowline-agent-\S+ is installed as a service of OpenRC; starting it/)
    device = await acceptDevice(await scene.server.client(), 'ruled')
    const { stdout, stderr } = await login('id -un; env | grep -e ^BOWLINE_ -e ^RUNTIME_DIRECTORY -e ^RC_; true')
    expect([stdout.toString(), stderr]).toEqual([`${USER.name}\n`, ''])
    expect(run('rc-update show default')).toContain('bowline-agent')
  })

  it('hides settings and log from everybody but root', () => {
    expect(run('stat -c %a /etc/bowline /etc/bowline/agent.env /var/log/bowline-agent.log')).toBe('700\n600\n600')
  })

  it('restarts the agent after a crash; what people left running survives', async () => {
    await scene.linked()
    const { stdout, stderr } = await login('setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $!')
    const left = stdout.toString().trim()
    expect([left, stderr]).toEqual([expect.stringMatching(/^\d+$/), ''])
    const before = agentPid()
    run(`kill -KILL ${before}`)
    await until('there is a new agent', () => agentPid() !== undefined && agentPid() !== before)
    run('rc-service bowline-agent restart')
    await scene.linked()
    expect((await login('echo back')).stdout.toString()).toBe('back\n')
    run(`kill ${left}`)
  })

  it('keeps running when installed again without changes', () => {
    const before = agentPid()
    expect(scene.install()).toMatch(/is already installed and running/)
    expect(agentPid()).toBe(before)
  })

  it('uninstalls the service', () => {
    run('bowline agent uninstall')
    expect(scene.machine.run('rc-service bowline-agent status').status).not.toBe(0)
    expect(run('ls -A /etc/bowline /usr/local/lib /usr/local/bin')).toBe(
      '/etc/bowline:\nagent.key\nagent.key.statement.json\n\n/usr/local/bin:\n\n/usr/local/lib:',
    )
    expect(scene.machine.run("pgrep -f '^/usr/local/lib/bowline'").stdout).toBe('')
  })
})
