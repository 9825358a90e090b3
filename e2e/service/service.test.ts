// The agent as a systemd service, installed as people do it: with the console's command, as root.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { Device } from '@bowline/contract/schemas/device'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { acceptDevice, untilOnline } from '../support/agent.ts'
import { type BootedMachine, bootProblem, systemd, USER } from '../support/machines/booted-machine.ts'
import { sshOptions } from '../support/file-clients.ts'
import { run as start } from '../support/running.ts'
import type { Client, Server } from '../support/server.ts'
import { type ServicedMachine, bootServicedMachine } from '../support/machines/serviced-machine.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { until } from '../support/wait.ts'

const PASSWORD = 'told to nobody'
const ids = `${USER.uid} ${USER.uid}`
const NO_RIGHTS = '0'.repeat(16)
const problem = bootProblem(systemd)
let scene: ServicedMachine
let server: Server
let machine: BootedMachine
let client: Client
let device: Device
showOnFailure(() => ({ server: scene?.server.process }))

beforeAll(async () => {
  if (problem !== undefined) return
  scene = await bootServicedMachine(systemd, 'served')
  ;({ server, machine } = scene)
  client = await server.client()
})
afterAll(() => scene?.remove())

const run = (line: string) => scene.run(line)
const install = () => scene.install()
const linked = () => scene.linked()
const login = (command: string) => scene.login(device, command)
/** Process id of the agent, which the service's main process has started. */
const agentPid = () =>
  machine
    .run("pgrep -P $(systemctl show --property=MainPID --value bowline-agent) -f '/current/bowline agent$'")
    .stdout.trim()

describe.skipIf(problem !== undefined)(`a machine with systemd (${problem ?? 'booted here'})`, () => {
  it('installs the agent as a service; people log in as its users', async () => {
    expect(install()).toMatch(/bowline-agent-\S+ is installed as a service of systemd; starting it/)
    device = await acceptDevice(client, 'served')
    const { code, stdout, stderr } = await login(
      'id -un; pwd; env | grep -c -e ^BOWLINE_ -e ^RUNTIME_DIRECTORY -e ^MALLOC',
    )
    expect([stdout.toString(), stderr, code]).toEqual([`${USER.name}\n/home/${USER.name}\n0\n`, '', 1])
  })

  it('serves files from another process of the same executable, which runs as the user and unpacks nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-files-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const content = randomBytes(1_000_000)
    await writeFile(join(folder, 'up'), content)
    const place = { ...server.ssh, login: `${USER.name}@${device.namespace}.${device.name}` }
    const sent = ['-o', 'SetEnv=NODE_OPTIONS=--sent LC_ALL=sent']
    const words = [
      'sshpass',
      '-e',
      'sftp',
      ...sshOptions(place, 'P'),
      ...sent,
      '-b',
      '-',
      `${place.login}@${place.host}`,
    ]
    const sftp = start(words, {
      cwd: folder,
      env: { PATH: process.env['PATH'], SSHPASS: USER.password },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    onTestFinished(async () => void (await sftp.end('SIGKILL')))
    sftp.child.stdin?.write('put up there\npwd\n')
    await until('the file is there', () => sftp.output().includes(`Remote working directory: /home/${USER.name}\n`))

    const pid = run("pgrep -f '[s]ftp-server '")
    const executable = run(`readlink /proc/${agentPid()}/exe`)
    expect(run(`readlink /proc/${pid}/exe`)).toBe(executable)
    expect(run(`sed -n 's|^[^/]*/|/|p' /proc/${pid}/maps | grep -v ^/usr/lib/ | sort -u`)).toBe(executable)
    expect(run('find /tmp /dev/shm -type f')).toBe('')
    expect(run(`grep -E '^(Uid|Gid|Groups|CapPrm|CapEff)' /proc/${pid}/status | tr -s '\\t ' ' '`)).toBe(
      `Uid: ${ids} ${ids}\nGid: ${ids} ${ids}\nGroups: ${USER.uid} \nCapPrm: ${NO_RIGHTS}\nCapEff: ${NO_RIGHTS}`,
    )
    expect(run(`grep -c -a sent /proc/${pid}/environ || true`)).toBe('0')

    sftp.child.stdin?.end('get there down\n')
    expect([await sftp.ended, sftp.output()]).toEqual([{ code: 0, signal: null }, expect.any(String)])
    expect(content.equals(await readFile(join(folder, 'down')))).toBe(true)
    expect(run(`stat -c '%U %s' /home/${USER.name}/there`)).toBe(`${USER.name} ${content.length}`)
  })

  it('reports its status to people and to programs', async () => {
    await linked()
    expect(JSON.parse(run('bowline agent status --json'))).toEqual({
      installed: expect.stringMatching(/^bowline-agent-\d/),
      manager: 'systemd',
      running: true,
      online: true,
      version: run('bowline agent --version'),
      pid: Number(agentPid()),
      server: new URL(server.origin).host,
      sshid: expect.stringMatching(`^${device.namespace}.served`),
      pairing: false,
      package: null,
      waiting: null,
    })
    expect(run('setpriv --reuid=1500 --clear-groups bowline agent status')).toMatch(/^online +yes/m)
  })

  it('hides settings from everybody but root, and from the arguments', () => {
    expect(run('stat -c %a /etc/bowline /etc/bowline/agent.env /etc/bowline/agent.key')).toBe('700\n600\n600')
    expect(run(`tr '\\0' ' ' </proc/${agentPid()}/cmdline`)).toBe('/usr/local/lib/bowline/current/bowline agent')
    expect(machine.run(`grep -c ${server.tenant} /etc/systemd/system/bowline-agent.service`).stdout).toBe('0\n')
    expect(run('systemd-analyze verify /etc/systemd/system/bowline-agent.service')).toBe('')
    expect(run('find /tmp -type f')).toBe('')
  })

  it('keeps running when installed again without changes', () => {
    const before = agentPid()
    expect(install()).toMatch(/is already installed and running/)
    expect(agentPid()).toBe(before)
  })

  it('restarts with other settings, and keeps the rest', () => {
    const before = agentPid()
    run('bowline agent install --keepalive-interval 30')
    expect(agentPid()).not.toBe(before)
    expect(run('cat /etc/bowline/agent.env')).toContain('BOWLINE_KEEPALIVE_INTERVAL="30"\n')
    expect(run('cat /etc/bowline/agent.env')).toContain(`BOWLINE_TENANT_ID="${server.tenant}"`)
    const refused = machine.run(
      `BOWLINE_KEEPALIVE_INTERVAL=1 BOWLINE_SERVER_PASSWORD='${PASSWORD}' bowline agent install`,
    )
    expect([refused.status, refused.stderr]).toEqual([
      2,
      'BOWLINE_SERVER_PASSWORD is not a setting; the nearest one is BOWLINE_SERVER_ADDRESS.\n' +
        'BOWLINE_KEEPALIVE_INTERVAL must be a whole number from 5 to 300.\n',
    ])
    expect(run('cat /etc/bowline/agent.env')).toContain('BOWLINE_KEEPALIVE_INTERVAL="30"\n')
  })

  it('restarts the agent after a crash; what people left running survives it', async () => {
    await linked()
    const { stdout, stderr } = await login('setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $!')
    const left = stdout.toString().trim()
    expect([left, stderr]).toEqual([expect.stringMatching(/^\d+$/), ''])
    const before = agentPid()
    run(`kill -KILL ${before}`)
    await until('there is a new agent', () => !['', before].includes(agentPid()))
    run('systemctl restart bowline-agent')
    expect(run('pgrep -x sleep')).toBe(left)
    await linked()
    expect((await login('echo back')).stdout.toString()).toBe('back\n')
    run(`kill ${left}`)
  })

  it('replaces the older version by a newer one, and keeps the older until the next', async () => {
    const older = run('readlink /usr/local/lib/bowline/current')
    // The same files in a folder of another build: what an upgrade looks like to the machine.
    const newer = older.replace(/-[0-9a-f]+$/, '-00000000')
    run(`cp -r /usr/local/lib/bowline/${older} /usr/local/lib/bowline/${newer}`)
    const before = agentPid()
    expect(run(`/usr/local/lib/bowline/${newer}/bowline agent install`)).toContain(`${newer} is installed`)
    await until('there is a new agent', () => !['', before].includes(agentPid()))
    expect(run(`readlink /proc/${agentPid()}/exe`)).toBe(`/usr/local/lib/bowline/${newer}/bowline`)
    expect(run('ls /usr/local/lib/bowline').split('\n').toSorted()).toEqual(
      [newer, older, 'current', 'launch'].toSorted(),
    )
  })

  it('needs root for changes', () => {
    const refused = machine.run('setpriv --reuid=1500 --clear-groups bowline agent uninstall')
    expect([refused.status, refused.stderr]).toEqual([1, '`bowline agent uninstall` needs root (try sudo).\n'])
  })

  it('uninstalls, and comes back as the same device while its key is there', async () => {
    expect(run(`curl -fsSL '${server.origin}/install.sh' | sh -s uninstall`)).toMatch(/agent.key was kept/)
    expect(run('ls -A /etc/bowline /usr/local/lib /usr/local/bin')).toBe(
      '/etc/bowline:\nagent.key\nagent.key.statement.json\n\n/usr/local/bin:\n\n/usr/local/lib:',
    )
    expect(machine.run('systemctl cat bowline-agent').status).not.toBe(0)
    expect(machine.run("pgrep -f '^/usr/local/lib/bowline'").stdout).toBe('')
    install()
    await untilOnline(client, device.uid)
    run('bowline agent uninstall --remove-key')
    expect(run('ls -A /etc/bowline')).toBe('')
    const { body } = await client.call(operations.devices.list, { query: { status: '' } })
    expect(body.map((one) => one.uid)).toEqual([device.uid])
  })
})
