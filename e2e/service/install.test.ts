// Adding a device as people do it: the console's command, run on another machine.
import { execFileSync } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { Device } from '@bowline/contract/schemas/device'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import agentPackage from '../../apps/agent/package.json' with { type: 'json' }
import { installCommand } from '../../apps/console/src/features/devices/add/commands.ts'
import { buildStale, OWN_AGENT } from '../../scripts/build.ts'
import { untilOnline } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { listenToEvents } from '../support/events.ts'
import { type Machine, canMakeMachines, makeMachine } from '../support/machines/machine.ts'
import { type Running, run } from '../support/running.ts'
import { type Client, type Server, startServer } from '../support/server.ts'
import { ssh } from '../support/ssh.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { until } from '../support/wait.ts'

const undo = cleanups()
let server: Server
let client: Client
showOnFailure(() => ({ server: server.process }))

async function start(env: Readonly<Record<string, string>>): Promise<void> {
  const started = await startServer({ env })
  undo(() => started.remove())
  server = started
  client = await server.client()
}

async function newMachine(name: string): Promise<Machine> {
  const machine = await makeMachine(name)
  undo(() => machine.remove())
  return machine
}

/** Boots a machine for the rest of the test, and prints its output when the test fails. */
function boot(machine: Machine, line: string): Running {
  const running = machine.run(line)
  onTestFinished(async ({ task }) => {
    await running.end('SIGKILL')
    if (task.result?.state === 'fail') process.stderr.write(`--- machine:\n${running.output()}\n`)
  })
  return running
}

/** Runs a line to completion. */
async function runOn(machine: Machine, line: string): Promise<{ code: number | null; output: string }> {
  const running = machine.run(line)
  const { code } = await running.ended
  return { code, output: running.output() }
}

/** The whole path: the command, the device that appears, accepting it, the password that was printed, ssh. */
async function addDevice(
  machine: Machine,
  name: string,
): Promise<{ device: Device; password: string; output: string }> {
  const log = await listenToEvents(client)
  onTestFinished(() => log.stop())
  const running = boot(machine, installCommand(server.origin, server.tenant, server.pin))
  const pending = await until('the device appears', () => {
    const event = log.events.find((one) => one.type === 'device.pending' && one.device.name === name)
    return event?.type === 'device.pending' ? event.device : undefined
  })
  expect(pending).toMatchObject({ status: 'pending', info: { pretty_name: 'Second Machine 2', platform: 'native' } })
  const { uid } = pending
  await client.call(operations.devices.setStatus, { params: { uid, status: 'accept' } })
  const device = await untilOnline(client, uid)
  const password = /device password:\s+([0-9a-f]{32})\n/.exec(running.output())?.[1] ?? ''
  return { device, password, output: running.output() }
}

function login(device: Device, password: string, command: string) {
  return ssh({ ...server.ssh, login: `dev@${device.namespace}.${device.name}`, password }, [command])
}

beforeAll(() => buildStale([OWN_AGENT]))

describe.skipIf(!canMakeMachines)('on another machine (needs root, to make one)', () => {
  let machine: Machine
  let added: Awaited<ReturnType<typeof addDevice>>

  beforeAll(async () => {
    await start({})
    machine = await newMachine('bench-2')
    await writeFile(join(machine.folder, 'home/dev/marker'), 'on the second machine\n')
  })

  it('installs the agent with the console’s command; accepted, ssh gets in with the password it printed', async () => {
    added = await addDevice(machine, 'bench-2')
    const { code, stdout, stderr } = await login(
      added.device,
      added.password,
      'cat marker; id -un; hostname; command -v node; env | grep ^BOWLINE_; true',
    )
    expect([code, stdout.toString(), stderr]).toEqual([0, 'on the second machine\ndev\nbench-2\n', ''])
    expect((await login(added.device, 'wrong', 'true')).code).not.toBe(0)
  })

  it('updates the agent when the command runs again, and keeps device and password', async () => {
    const running = boot(machine, installCommand(server.origin, server.tenant, server.pin))
    await until('the agent runs', () => running.output().includes('link.up'))
    expect(running.output()).not.toMatch(/device password/)
    await untilOnline(client, added.device.uid)
    expect((await login(added.device, added.password, 'echo again')).stdout.toString()).toBe('again\n')
  })

  it('installs into one folder named after the version, and unpacks nothing elsewhere', async () => {
    const { output } = await runOn(machine, 'ls -A /tmp; cd .bowline-agent; ls -d */ | sed s/-[0-9a-f]*.$//; ls */')
    expect(output).toBe(`bowline-agent-${agentPackage.version}\nbowline\nkoffi.node\n`)
  })

  it('leaves nothing that others can read', async () => {
    const { output } = await runOn(
      machine,
      'find .bowline-agent -maxdepth 0 -perm /077; find .bowline-agent -name "*.key" -perm /077; find .bowline-agent -name "password*" -perm /077',
    )
    expect(output).toBe('')
  })

  it('explains a missing namespace of an install key', async () => {
    const key = `ik-${'a'.repeat(26)}`
    const { code, output } = await runOn(machine, `curl -fsSL '${server.origin}/install.sh' | sh -s -- --key ${key}`)
    expect(code).toBe(1)
    expect(output).toMatch(/^bowline: TENANT_ID is not set, and an install key is one of a namespace: /m)
  })

  it('makes a service as root only', async () => {
    const script = installCommand(server.origin, server.tenant, server.pin)
    const asked = await runOn(machine, script.replace(/sh$/, 'INSTALL_METHOD=systemd sh'))
    expect(asked).toMatchObject({ code: 1, output: 'bowline: the method systemd needs root (sudo).\n' })
    const unknown = await runOn(machine, script.replace(/sh$/, 'INSTALL_METHOD=docker sh'))
    expect(unknown.output).toBe('bowline: INSTALL_METHOD is docker; it can be systemd, openrc or foreground.\n')
    const installed = await runOn(machine, '.bowline-agent/bowline-agent-*/bowline agent install')
    expect(installed).toMatchObject({ code: 1, output: '`bowline agent install` needs root (try sudo).\n' })
  })

  it('reports a namespace that does not exist through the agent', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000'
    const running = boot(machine, installCommand(server.origin, nobody, server.pin))
    await until('the agent says so', () => running.output().includes('registration.failed'))
    expect(running.output()).toMatch(/"ev":"registration.failed".*namespace/)
  })
})

describe.skipIf(!canMakeMachines)('from a server that other machines can reach (needs root, to make one)', () => {
  let machine: Machine

  beforeAll(async () => {
    await start({ BOWLINE_HOST: '0.0.0.0' })
    machine = await newMachine('bench-3')
  })

  it('pins the self-signed certificate in the command and in the agent', async () => {
    expect(new URL(server.origin).protocol).toBe('https:')
    expect(installCommand(server.origin, server.tenant, server.pin)).toContain(`--pinnedpubkey '${server.pin}'`)
    const { device, password } = await addDevice(machine, 'bench-3')
    expect((await login(device, password, 'hostname')).stdout.toString()).toBe('bench-3\n')
  })

  it('refuses another key than the pinned one before anything runs', async () => {
    const other = `sha256//${Buffer.alloc(32, 7).toString('base64')}`
    const { output } = await runOn(machine, installCommand(server.origin, server.tenant, other))
    expect(output).toMatch(/public key does not match pinned/)
    expect(output).not.toMatch(/bowline: /)
  })
})

describe('on a machine that the agent is not for', () => {
  let script: string
  let folder: string

  beforeAll(async () => {
    if (!canMakeMachines) await start({})
    script = await (await fetch(`${server.origin}/install.sh?tenant_id=${server.tenant}`)).text()
    folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-wrong-'))
    undo(() => rm(folder, { recursive: true, force: true }))
  })

  /** Runs the script as `curl … | sh` does. */
  function pipeToSh(command: readonly string[], env: Readonly<Record<string, string>>) {
    const running = run(command, { stdio: ['pipe', 'pipe', 'pipe'], env })
    running.child.stdin?.end(script)
    return running.ended.then(({ code }) => ({ code, output: running.output() }))
  }

  it.each([
    ['Darwin', 'x86_64', 'bowline: this machine runs Darwin; the agent is for Linux.\n'],
    ['Linux', 'armv7l', 'bowline: this machine is armv7l; the agent is for x86_64 and aarch64.\n'],
  ])('refuses %s on %s by name, and leaves nothing behind', async (system, processor, text) => {
    const home = join(folder, `${system}-${processor}`)
    const bin = join(folder, `${system}-${processor}-bin`)
    await mkdir(home)
    await mkdir(bin)
    await writeFile(join(bin, 'uname'), `#!/bin/sh\n[ "$1" = -s ] && echo ${system} || echo ${processor}\n`, {
      mode: 0o755,
    })
    const outcome = await pipeToSh(['sh'], { PATH: `${bin}:/usr/bin:/bin`, HOME: home })
    expect(outcome).toEqual({ code: 1, output: text })
    expect(await readdir(home)).toEqual([])
  })

  it.skipIf(!canMakeMachines)('refuses musl instead of glibc by name (needs root, to make one)', async () => {
    const root = join(folder, 'musl')
    for (const program of ['/bin/sh', '/bin/uname']) await copyWithOtherLoader(program, root)
    await writeFile(join(root, 'lib/ld-musl-x86_64.so.1'), '')
    const outcome = await pipeToSh(['chroot', root, '/bin/sh'], { PATH: '/usr/sbin:/usr/bin:/bin', HOME: '/' })
    expect(outcome.code).toBe(1)
    expect(outcome.output).toMatch(/^bowline: this machine uses the musl C library .*; the agent is for glibc\.$/m)
    expect(await readdir(root)).not.toContain('.bowline-agent')
  })
})

/**
 * Copies a program with its libraries into a root whose dynamic loader has another name, so that glibc seems absent.
 */
async function copyWithOtherLoader(program: string, root: string): Promise<void> {
  const bytes = (await readFile(program)).toString('latin1')
  const [loader = ''] = /\/lib\w*\/ld-linux[\w.-]*/.exec(bytes) ?? []
  const renamed = join(dirname(loader), basename(loader).replace('ld-', 'xd-'))
  const place = async (path: string, content?: string): Promise<string> => {
    const target = join(root, path)
    await mkdir(dirname(target), { recursive: true })
    await (content === undefined ? copyFile(path, target) : writeFile(target, content, 'latin1'))
    await chmod(target, 0o755)
    return target
  }
  await place(program, bytes.replace(loader, renamed))
  await place(renamed, (await readFile(loader)).toString('latin1'))
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/=> (\/\S+)/g)
  for (const [, library = ''] of libraries) await place(library)
}
