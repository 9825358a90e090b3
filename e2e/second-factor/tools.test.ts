// Programs that open many ssh connections, in a namespace that asks for a second factor: each asks its person once.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { attempt, tool } from '../matrix/tool.ts'
import { until } from '../support/wait.ts'
import { type Guarded, startGuarded } from './guarded.ts'

const HOSTS = 50
/** Most that a program may take. */
const WORK_MS = 120_000
let guarded: Guarded
let folder: string
/** ssh's settings for the host `device`, with a key that nobody has vouched for yet. */
let config: string
beforeAll(async () => {
  guarded = await startGuarded()
  folder = guarded.folder
})
afterAll(() => guarded?.remove())
beforeEach(async () => {
  const keyFile = await guarded.newKey()
  const { host, port, login } = guarded.agent.target
  config = `${keyFile}-config`
  writeFileSync(
    config,
    `Host device device-*
  HostName ${host}
  Port ${port}
  User ${login}
  IdentityFile ${keyFile}
  IdentitiesOnly yes
  BatchMode yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
`,
  )
})

/** Approves every login that waits while the work runs. @returns how many approvals it took */
async function approvalsOf(work: () => Promise<unknown>): Promise<number> {
  let isOver = false
  const approveAll = async (): Promise<number> => {
    for (let approvals = 0; ; approvals += 1) {
      const next = await until(
        'a login waits, or none will any more',
        async () => {
          const [held] = await guarded.waiting()
          return held ?? isOver
        },
        WORK_MS,
      )
      if (next === true) return approvals
      await guarded.client.call(operations.heldLogins.approve, { params: { code: next.code } })
    }
  }
  const [approvals] = await Promise.all([approveAll(), work().finally(() => (isOver = true))])
  return approvals
}

const ssh = () => ['ssh', '-F', config]

describe('one approval', () => {
  it('is enough for rsync there and back', async () => {
    const [near, back, far] = ['near', 'back', 'far'].map((name) => join(folder, name)) as [string, string, string]
    mkdirSync(near)
    writeFileSync(join(near, 'file'), 'content')
    const approvals = await approvalsOf(async () => {
      const rsync = ['rsync', '-r', '-e', ssh().join(' ')]
      await tool([...rsync, `${near}/`, `device:${far}/`])
      await tool([...rsync, `device:${far}/`, `${back}/`])
    })
    expect([approvals, readFileSync(join(back, 'file'), 'utf8')]).toEqual([1, 'content'])
  })

  it('is enough for git: clone, push and fetch', async () => {
    const [far, work] = [join(folder, 'project.git'), join(folder, 'work')]
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', far])
    const env = {
      GIT_SSH_COMMAND: ssh().join(' '),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.com',
    }
    const approvals = await approvalsOf(async () => {
      await tool(['git', 'clone', '-q', `device:${far}`, work], { env })
      for (const step of ['checkout -q -b main', 'commit -q --allow-empty -m first', 'push -q origin main', 'fetch -q'])
        await tool(['git', '-C', work, ...step.split(' ')], { env })
    })
    const log = execFileSync('git', ['-C', far, 'log', '--format=%s', 'main'], { encoding: 'utf8' })
    expect([approvals, log]).toEqual([1, 'first\n'])
  })

  it('is enough for an editor that opens two connections at once and more later', async () => {
    const said: string[] = []
    const run = async (text: string) => void said.push((await tool([...ssh(), '-T', 'device', `echo ${text}`])).stdout)
    const approvals = await approvalsOf(async () => {
      await Promise.all([run('one'), run('two')])
      await run('three')
    })
    expect([approvals, said.toSorted()]).toEqual([1, ['one\n', 'three\n', 'two\n']])
  })

  it(`is enough for Ansible with ${HOSTS} hosts at once`, async () => {
    const inventory = join(folder, 'hosts')
    writeFileSync(inventory, Array.from({ length: HOSTS }, (_, nth) => `device-${nth}\n`).join(''))
    const env = {
      HOME: folder,
      ANSIBLE_LOCAL_TEMP: join(folder, 'ansible'),
      // Each host has a connection of its own.
      ANSIBLE_SSH_ARGS: `-F ${config} -o ControlMaster=no -o ControlPath=none`,
      ANSIBLE_NOCOLOR: '1',
    }
    let output = ''
    const approvals = await approvalsOf(async () => {
      const raw = [
        'ansible',
        'all',
        '-i',
        inventory,
        '-f',
        String(HOSTS),
        '-T',
        '60',
        '-m',
        'raw',
        '-a',
        'echo reached',
      ]
      const { stdout, stderr } = await attempt(raw, { env })
      output = stdout + stderr
    })
    expect([approvals, output.match(/^reached/gm)?.length, output.match(/UNREACHABLE/g)]).toEqual([1, HOSTS, null])
  })
})
