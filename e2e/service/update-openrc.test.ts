// Updates of an agent that OpenRC runs. Everything independent of the service manager is tested with systemd.
import type { Device } from '@bowline/contract/schemas/device'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { acceptDevice } from '../support/agent.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { bootProblem, openRc, USER } from '../support/machines/booted-machine.ts'
import { type ServicedMachine, bootServicedMachine } from '../support/machines/serviced-machine.ts'
import { type SignedAgents, signedAgents } from '../support/machines/signed-agents.ts'
import { startEcho } from '../support/ssh.ts'
import { until } from '../support/wait.ts'

const problem = bootProblem(openRc)
let agents: SignedAgents
let scene: ServicedMachine
let device: Device
showOnFailure(() => ({ server: scene?.server.process }))

beforeAll(async () => {
  if (problem !== undefined) return
  agents = await signedAgents()
  agents.sign(10)
  scene = await bootServicedMachine(openRc, 'ruled-update', { BOWLINE_AGENTS_DIR: agents.folder })
})
afterAll(async () => {
  await scene?.remove()
  agents?.remove()
})

const run = (line: string) => scene.run(line)
const status = (): { pid?: number; online?: boolean; installed?: string } =>
  JSON.parse(scene.machine.run('bowline agent status --json').stdout || '{}')
const log = (): string => run('cat /var/log/bowline-agent.log')

/** Updates, and waits until the version is online as another process than before. */
async function updated(name: string): Promise<void> {
  const before = status().pid
  const length = log().length
  run('bowline agent update')
  await until('the update has started', () => log().slice(length).includes('"ev":"update.started"'))
  await until(`${name} is online`, () => {
    const { pid, online, installed } = status()
    return online === true && pid !== before && installed === name
  })
}

/** A session of a person that stays open. */
async function openSession() {
  const target = {
    ...scene.server.ssh,
    login: `${USER.name}@${device.namespace}.ruled-update`,
    password: USER.password,
  }
  const session = await startEcho(target)
  onTestFinished(() => session.end())
  return session
}

describe.skipIf(problem !== undefined)(`a machine with OpenRC (${problem ?? 'booted here'})`, () => {
  it('updates to a signed release while a session goes on', async () => {
    scene.install()
    device = await acceptDevice(await scene.server.client(), 'ruled-update')
    await scene.linked()
    const session = await openSession()
    await session.echo('before')
    const name = agents.pack('11111111')
    agents.sign(11)
    await updated(name)
    await session.echo('after')
    session.end()
    expect((await session.result).code).toBe(0)
    expect((await scene.login(device, 'echo new')).stdout.toString()).toBe('new\n')
  })

  it('returns to the version before when the new one ends', async () => {
    const before = status().installed ?? ''
    const session = await openSession()
    await session.echo('before')
    agents.pack('22222222', '#!/bin/sh\n[ "$*" != agent ] || exit 1\n')
    agents.sign(12)
    await updated(before)
    await session.echo('after')
    session.end()
    expect((await session.result).code).toBe(0)
  })

  it('stops all of its processes with the service', async () => {
    run('rc-service bowline-agent stop')
    const left = () => scene.machine.run("pgrep -f '^/usr/local/lib/bowline.* agent'").stdout
    await until('they have ended', () => left() === '')
    expect(left()).toBe('')
  })
})
