// Complete programs on top of ssh, timed through the product and over a direct connection.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../site/child.ts'
import { type Candidate, interleave } from '../measure/interleave.ts'
import type { BenchOptions } from '../options.ts'
import type { Row } from '../row.ts'
import { inScene } from '../site/scene.ts'
import type { SshClient, Way } from '../ssh-client.ts'
import { pairedRatios, spreadOf } from '../measure/statistics.ts'
import { TARGETS } from '../targets.ts'

const FILES = 10_000
const FILES_PER_FOLDER = 100
const TREE_BYTES = 1_000_000_000
const TASKS = 50
const WAYS: readonly Way[] = ['bowline', 'sshd-password']

interface Tool {
  readonly id: string
  readonly work: string
  /** @returns milliseconds */
  time(way: Way): Promise<number>
}

export function measureTools(options: BenchOptions): Promise<Row[]> {
  return inScene(options, 'tools', async ({ ssh }) => {
    const folder = join(options.folder, 'tools', 'client')
    await mkdir(folder)
    const rows: Row[] = []
    for (const tool of [await ansible(folder, ssh), await rsync(folder, ssh)]) {
      options.say(`  ${tool.work}`)
      const candidates = WAYS.map((name): Candidate => ({ name, measure: () => tool.time(name) }))
      const times = await interleave(candidates, options.repeats)
      const [ours, theirs] = [times.get('bowline') ?? [], times.get('sshd-password') ?? []]
      rows.push({
        id: `tools.${tool.id}`,
        work: tool.work,
        peer: 'sshd',
        unit: 'ratio',
        measured: spreadOf(pairedRatios(ours, theirs)),
        target: TARGETS.tools,
        note: `${spreadOf(ours).median.toFixed(0)} to ${spreadOf(theirs).median.toFixed(0)} ms`,
        samples: { 'bowline ms': ours, 'sshd ms': theirs },
      })
    }
    await rm(folder, { recursive: true })
    return rows
  })
}

async function rsync(folder: string, ssh: SshClient): Promise<Tool> {
  const tree = join(folder, 'tree')
  const content = Buffer.alloc(TREE_BYTES / FILES, 'bytes of a file, ')
  for (let index = 0; index < FILES; index += 1) {
    const below = join(tree, String(Math.floor(index / FILES_PER_FOLDER)))
    if (index % FILES_PER_FOLDER === 0) await mkdir(below, { recursive: true })
    await writeFile(join(below, String(index)), content)
  }
  const words = ['-e', 'rsync', '-a', '--whole-file', '-e', `ssh -F ${ssh.configFile} -c aes128-gcm@openssh.com`]
  return {
    id: 'rsync',
    work: `rsync of ${TREE_BYTES / 1e9} GB in ${FILES} files`,
    async time(way) {
      await ssh.run(way, 'rm -rf tree')
      return (await run('sshpass', [...words, `${tree}/`, `${way}:tree`], { env: ssh.env })).milliseconds
    },
  }
}

async function ansible(folder: string, ssh: SshClient): Promise<Tool> {
  const file = (name: string): string => join(folder, name)
  const tasks = Array.from({ length: TASKS }, (_, index) => `    - command: echo ${index}`)
  await writeFile(file('play.yml'), `- hosts: all\n  gather_facts: false\n  tasks:\n${tasks.join('\n')}\n`)
  let runs = 0
  return {
    id: 'ansible',
    work: `Ansible, ${TASKS} tasks with pipelining`,
    async time(way) {
      const password = ssh.env['SSHPASS'] ?? ''
      const inventory = `${way} ansible_python_interpreter=/usr/bin/python3 ansible_password=${password}\n`
      await writeFile(file('hosts'), inventory, { mode: 0o600 })
      // A new connection for each run, shared by its tasks.
      const socket = file(`cm-${(runs += 1)}`)
      const env = {
        ...ssh.env,
        HOME: folder,
        ANSIBLE_PIPELINING: 'True',
        ANSIBLE_SSH_ARGS: `-F ${ssh.configFile} -o ControlMaster=auto -o ControlPersist=60s -o ControlPath=${socket}`,
      }
      const { milliseconds } = await run('ansible-playbook', ['-i', file('hosts'), file('play.yml')], { env })
      await run('ssh', ['-F', ssh.configFile, '-S', socket, '-O', 'exit', way])
      return milliseconds
    },
  }
}
