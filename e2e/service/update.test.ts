// An installed agent updates itself to what is signed: sessions go on through it, what does not reach the server goes
// back, and neither a server without the release key nor an old release gets anything in.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { Device } from '@bowline/contract/schemas/device'
import { updateKeyOf } from '@bowline/link/agent-manifest'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { installCommand } from '../../apps/console/src/features/devices/add/commands.ts'
import { acceptDevice } from '../support/agent.ts'
import { bootProblem, systemd, USER } from '../support/machines/booted-machine.ts'
import { type ServicedMachine, bootServicedMachine } from '../support/machines/serviced-machine.ts'
import { type SignedAgents, signedAgents } from '../support/machines/signed-agents.ts'
import { startSsh } from '../support/ssh.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { until } from '../support/wait.ts'

const problem = bootProblem(systemd)
const folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-update-'))
let agents: SignedAgents
let scene: ServicedMachine
let device: Device
showOnFailure(() => ({ server: scene?.server.process }))

beforeAll(async () => {
  if (problem !== undefined) return
  agents = await signedAgents()
  sign(10)
  scene = await bootServicedMachine(systemd, 'updated', { BOWLINE_AGENTS_DIR: agents.folder })
})
afterAll(async () => {
  await scene?.remove()
  agents?.remove()
  rmSync(folder, { recursive: true })
})

const sign = (release: number, key?: 'stranger'): void => agents.sign(release, key)
const pack = (build: string, program?: string): string => agents.pack(build, program)
const run = (line: string) => scene.run(line)
const status = (): { pid?: number; online?: boolean; installed?: string } =>
  JSON.parse(scene.machine.run('bowline agent status --json').stdout || '{}')
const current = (): string => run('readlink /usr/local/lib/bowline/current')
const log = (): string => scene.machine.run('journalctl -o cat -u bowline-agent --no-pager').stdout
/** Asks for an update, and waits for the log to say something after that. */
async function update(event: string): Promise<string> {
  const before = log().length
  run('bowline agent update')
  return until(`the log has ${event}`, () => {
    const lines = log().slice(before)
    return lines.split('\n').find((line) => line.includes(`"ev":"${event}"`))
  })
}
const login = (command: string) => scene.login(device, command)
async function updatedTo(name: string, before: number | undefined): Promise<void> {
  await until('the new version is online', () => {
    const { pid, online, installed } = status()
    return online === true && pid !== before && installed === name
  })
}

/** A session of a person that stays open: answers each line with itself. */
function openSession() {
  const target = { ...scene.server.ssh, login: `${USER.name}@${device.namespace}.updated`, password: USER.password }
  const control = join(folder, `control-${Date.now()}`)
  const session = startSsh(target, ['cat'], ['-M', '-S', control])
  onTestFinished(() => void session.kill('SIGKILL'))
  let output = ''
  session.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = new Promise<number | null>((resolve) => session.once('close', resolve))
  return {
    async echoes(word: string): Promise<void> {
      session.stdin.write(`${word}\n`)
      await until(`the session answers ${word}`, () => output.includes(`${word}\n`))
    },
    /** Opens another channel of the same connection. */
    another: (command: string) =>
      spawnSync('ssh', ['-F', 'none', '-S', control, 'x', command], { encoding: 'utf8', timeout: 30_000 }).stdout,
    end(): Promise<number | null> {
      session.stdin.end()
      return ended
    },
  }
}

const UPDATES = '/etc/bowline/agent.key.updates.json'

describe.skipIf(problem !== undefined)(`a machine with systemd (${problem ?? 'booted here'})`, () => {
  it('installs no agent that the key of the command has not signed', () => {
    const { server, machine } = scene
    const command = installCommand(server.origin, server.tenant, server.pin)
    const { status: exit, stderr } = machine.run(`export UPDATE_KEY=${updateKeyOf(agents.keys.stranger)}; ${command}`)
    expect([exit, stderr]).toEqual([1, expect.stringContaining('is not signed by the key')])
    expect(machine.run('ls -A /usr/local/lib/bowline').stdout).toBe('')
  })

  it('updates to a signed release while a session goes on', async () => {
    scene.install()
    device = await acceptDevice(await scene.server.client(), 'updated')
    await scene.linked()
    const session = openSession()
    await session.echoes('before')
    const before = status().pid
    const name = pack('11111111')
    sign(11)
    await update('update.started')
    await updatedTo(name, before)
    await session.echoes('after')
    expect(session.another('echo another channel')).toBe('another channel\n')
    expect(run(`readlink /proc/${before}/exe`)).not.toContain(name)
    expect((await login('echo new')).stdout.toString()).toBe('new\n')
    await until('the old process knows that it is over', () => log().includes('"ev":"update.done"'))
    expect(await session.end()).toBe(0)
    await until('the old process ends with its session', () => log().includes('"ev":"agent.handed-over"'))
    await until('it is gone', () => scene.machine.run(`kill -0 ${before}`).status !== 0)
    expect(run('ls /usr/local/lib/bowline/.update 2>&1 || true')).toContain('No such file')
  })

  it('refuses an older release, and one by another key', async () => {
    sign(10)
    expect(await update('update.refused')).toContain('release 10 is older than 11, which has run here')
    sign(12, 'stranger')
    expect(await update('update.refused')).toContain('signed by a key that the trusted one does not lead to')
    sign(11)
    expect(await update('update.none')).toContain('this is the newest release')
  })

  it('returns to the version before when the new one ends, and does not try it again', async () => {
    const before = current()
    const session = openSession()
    await session.echoes('before')
    const { pid } = status()
    pack('22222222', '#!/bin/sh\n[ "$*" != agent ] || exit 1\n')
    sign(12)
    await update('update.started')
    await updatedTo(before, pid)
    await session.echoes('after')
    expect(await update('update.none')).toContain('release 12 has failed here: it ended before it reached the server')
    expect(await session.end()).toBe(0)
  })

  it('returns to the version before when the service is stopped during the trial, and may try again', async () => {
    const before = current()
    const { pid } = status()
    const name = pack('33333333', '#!/bin/sh\n[ "$*" != agent ] || exec sleep 1000\n')
    sign(13)
    await update('update.started')
    expect(current()).toBe(name)
    run('systemctl restart bowline-agent')
    await updatedTo(before, pid)
    expect(await update('update.started')).toContain('"release":13')
    run('systemctl restart bowline-agent')
    await updatedTo(before, pid)
  })

  it('returns to the version before although its file of updates is damaged', async () => {
    const before = current()
    const session = openSession()
    await session.echoes('before')
    const { pid } = status()
    pack('66666666', `#!/bin/sh\n[ "$*" != agent ] || echo damaged >${UPDATES}\nexec "$0.own" "$@"\n`)
    sign(14)
    await update('update.unconfirmed')
    await updatedTo(before, pid)
    await session.echoes('after')
    const { obstacles } = (await (await scene.server.client()).call(operations.agentUpdates.get, {})).body
    expect(obstacles).toEqual([{ reason: expect.stringContaining('is damaged or of a newer version'), devices: 1 }])
    expect(await session.end()).toBe(0)
    run(`rm ${UPDATES}`)
    run('systemctl restart bowline-agent')
    await scene.linked()
  })

  it('installs nothing that does not start, or does not fit', async () => {
    const before = current()
    pack('44444444', '#!/bin/sh\necho "a library is missing" >&2\nexit 127\n')
    sign(15)
    expect(await update('update.failed')).toContain('the new version does not start here: a library is missing')
    expect(current()).toBe(before)
    expect(run('ls -A /usr/local/lib/bowline')).not.toContain('44444444')
  })

  it('is updated by a rollout of its namespace, and reports the release', async () => {
    const name = pack('55555555')
    sign(16)
    const client = await scene.server.client()
    const params = { uid: device.uid }
    await client.call(operations.devices.addTag, { params, body: { tag: 'early' } })
    const body = { mode: 'manual', canary_tag: 'early', window: null } as const
    await client.call(operations.agentUpdates.setPolicy, { body })
    expect((await client.call(operations.agentUpdates.start, {})).body).toMatchObject({ release: 16, stage: 'canary' })
    const { pid } = status()
    // It registers anew, and is told then.
    run('systemctl restart bowline-agent')
    await updatedTo(name, pid)
    await until('the release is reported', async () => {
      const { fleet } = (await client.call(operations.agentUpdates.get, {})).body
      return fleet.some(({ release, devices }) => release === 16 && devices === 1)
    })
    expect((await client.call(operations.agentUpdates.get, {})).body).toMatchObject({
      obstacles: [],
      rollout: { state: 'running', devices: { total: 1, updated: 1, failed: 0 } },
    })
  })

  it('stops all of its processes with the service', async () => {
    run('systemctl stop bowline-agent')
    const left = () => scene.machine.run("pgrep -f '^/usr/local/lib/bowline.* agent'").stdout
    await until('they have ended', () => left() === '')
    expect(left()).toBe('')
  })
})
