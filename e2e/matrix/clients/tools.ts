// Programs that run over ssh: rsync, git, Ansible, tmux, mosh, X11, and a remote editor.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@bowline/testkit/free-port'
import { until } from '../../support/wait.ts'
import { type Row, type Site, rowsOf } from '../row.ts'
import { attempt, must, start, tool } from '../tool.ts'
import { picture, someBytes } from './openssh.ts'

const over = (site: Site): string => `ssh -F ${site.configFile}`

export const rsync = (): Row[] =>
  rowsOf('rsync', ['rsync'], {
    'a tree there, a change, and back': async (site) => {
      const near = join(site.scratch, 'tree')
      await mkdir(join(near, 'below'), { recursive: true })
      for (let at = 0; at < 200; at++) await writeFile(join(near, 'below', `file ${at}`), someBytes(at * 37))
      await writeFile(join(near, 'large'), someBytes(2_097_152))
      const rsync = ['rsync', '-rlpt', '--delete', '-e', over(site)]
      await tool([...rsync, `${near}/`, 'device:tree'])
      await writeFile(join(near, 'large'), Buffer.concat([someBytes(1_000_000), Buffer.from('change')]))
      await tool(['rm', join(near, 'below/file 7')])
      await tool([...rsync, '-z', '--inplace', `${near}/`, 'device:tree'])
      const back = join(site.scratch, 'back')
      await tool([...rsync, '--checksum', 'device:tree/', back])
      const [there, here] = [await picture(back), await picture(near)]
      must(there === here, { there, here })
      return picture(join(site.home, 'tree'))
    },
  })

export const git = (): Row[] =>
  rowsOf('git', ['git'], {
    'clone, commit, push, fetch': async (site) => {
      const env = {
        GIT_SSH_COMMAND: over(site),
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_AUTHOR_NAME: 'Board',
        GIT_AUTHOR_EMAIL: 'board@example.com',
        GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
        GIT_COMMITTER_NAME: 'Board',
        GIT_COMMITTER_EMAIL: 'board@example.com',
        GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
      }
      const work = join(site.scratch, 'work')
      await tool([...over(site).split(' '), 'device', 'git init -q --bare -b main project.git'])
      await tool(['git', 'clone', '-q', 'device:project.git', work], { env })
      await writeFile(join(work, 'large'), someBytes(3_000_000))
      const steps = ['checkout -q -b main', 'add large', 'commit -q -m first', 'push -q origin main', 'fetch -q']
      for (const step of steps) await tool(['git', '-C', work, ...step.split(' ')], { env })
      const log = 'git -C project.git log --format="%H %s" main; git -C project.git fsck 2>&1'
      const { stdout } = await tool([...over(site).split(' '), 'device', log])
      must(stdout.includes(' first\n'), stdout)
      return stdout
    },
  })

const PLAYBOOK = `
- hosts: all
  gather_facts: true
  tasks:
    - ping:
    - copy: { content: "from the controller", dest: "~/copied", mode: "0640" }
    - file: { path: "~/folder/below", state: directory, mode: "0750" }
    - template: { src: template.j2, dest: "~/folder/templated" }
    - lineinfile: { path: "~/copied", line: "one more" }
    - command: "cat copied"
      register: output
    - assert: { that: "output.stdout_lines | length == 2" }
    - shell: "exit 3"
      register: failed
      failed_when: failed.rc != 3
    - fetch: { src: "~/copied", dest: "{{ playbook_dir }}/fetched", flat: true }
`

/** In milliseconds. A playbook takes seconds of processor time: with 20 at once on two cores, more than a minute. */
const PLAYBOOK_MS = 600_000

export const ansible = (): Row[] =>
  rowsOf('Ansible', ['ansible-playbook'], {
    'a playbook with pipelining': async (site) => {
      const file = (name: string): string => join(site.scratch, name)
      await writeFile(file('play.yml'), PLAYBOOK)
      await writeFile(file('template.j2'), 'user {{ ansible_user_id }}\n')
      await writeFile(file('hosts'), 'device ansible_python_interpreter=/usr/bin/python3\n')
      const env = {
        HOME: site.scratch,
        ANSIBLE_HOME: file('ansible'),
        ANSIBLE_LOCAL_TEMP: file('ansible-tmp'),
        ANSIBLE_PIPELINING: 'True',
        ANSIBLE_SSH_ARGS: `-F ${site.configFile} -o ControlMaster=auto -o ControlPersist=10s -o ControlPath=${file('cm')}`,
        ANSIBLE_NOCOLOR: '1',
      }
      const playbook = ['ansible-playbook', '-i', file('hosts'), file('play.yml')]
      const { stdout } = await tool(playbook, { env, timeoutMs: PLAYBOOK_MS })
      await attempt(['ssh', '-F', site.configFile, '-S', file('cm'), '-O', 'exit', 'device'])
      const recap = stdout.slice(stdout.indexOf('PLAY RECAP'))
      must(/ok=10 .*failed=0/.test(recap), stdout)
      return recap
    },
  })

/** A terminal multiplexer at both ends: the near one acts as the person's terminal, the far one runs on the device. */
export const tmux = (): Row[] =>
  rowsOf('tmux', ['tmux'], {
    'attach, resize, detach, attach again': async (site) => {
      const near = (...words: string[]) =>
        tool(['tmux', '-L', 'near', '-f', '/dev/null', ...words], { env: { TMUX_TMPDIR: site.scratch } })
      const type = (text: string) => near('send-keys', '-t', 'board', text, 'Enter')
      const screen = async (): Promise<string> => (await near('capture-pane', '-p', '-t', 'board')).stdout
      const shows = (text: string) => until(`the screen shows ${text}`, async () => (await screen()).includes(text))
      const attach = `${over(site)} -tt device env PS1=there: tmux -L far -f /dev/null new -A -s far /bin/sh`
      await near('new', '-d', '-s', 'board', '-x', '100', '-y', '30', 'env PS1=near: /bin/sh')
      try {
        await shows('near:')
        await type(attach)
        await shows('there:')
        await type('stty size; KEPT=kept')
        await shows('29 100')
        await near('resize-window', '-t', 'board', '-x', '120', '-y', '40')
        await type('stty size')
        await shows('39 120')
        await near('send-keys', '-t', 'board', 'C-b', 'd')
        await shows('near:')
        await type(`clear; ${attach}`)
        // Attaching discards typeahead.
        await shows('39 120')
        await type('echo still-$KEPT')
        await shows('still-kept')
        await type('tmux -L far kill-server')
        await shows('near:')
        return 'kept'
      } finally {
        await near('kill-server')
      }
    },
  })

export const mosh = (): Row[] =>
  rowsOf('mosh', ['mosh-server'], {
    'the start of its server': async (site) => {
      const command = 'mosh-server new -c 256 -s -l LANG=C.UTF-8 -- /bin/sh -c "echo started"'
      const ran = await tool([...over(site).split(' '), '-tt', 'device', command])
      const pid = /detached, pid = (\d+)/.exec(ran.stdout + ran.stderr)?.[1]
      // mosh-server outlives the connection by design: a person would reconnect to it by UDP.
      if (pid) process.kill(Number(pid))
      must(pid !== undefined && /MOSH CONNECT \d+ \S{22}/.test(ran.stdout), ran)
      return 'MOSH CONNECT'
    },
  })

export const x11 = (): Row[] =>
  rowsOf('X11', ['Xvfb', 'xauth', 'xdpyinfo'], {
    'a program of the device on the display here (-Y)': (site) => display(site, '-Y'),
    'the same, untrusted (-X)': (site) => display(site, '-X'),
  })

async function display(site: Site, flag: string): Promise<unknown> {
  const authority = join(site.scratch, 'Xauthority')
  const screen = ['-nolisten', 'tcp', '-screen', '0', '320x200x24']
  // It picks a free display number itself, and prints it once it listens.
  const server = start(['Xvfb', '-displayfd', '1', '-auth', authority, ...screen])
  try {
    let output = ''
    server.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const number = await until('the display is there', () => /^(\d+)\n/.exec(output)?.[1])
    const env = { DISPLAY: `:${number}`, XAUTHORITY: authority, HOME: site.scratch }
    await tool(['xauth', '-q', '-f', authority, 'add', `:${number}`, 'MIT-MAGIC-COOKIE-1', '5a'.repeat(16)])
    const command =
      'echo $DISPLAY | sed "s/:[0-9]*/:N/"; xdpyinfo | grep -E "dimensions|vendor string"; stat -c %a .Xauthority'
    const ran = await tool([...over(site).split(' '), flag, 'device', command], { env })
    must(ran.stdout.includes('320x200'), ran)
    return ran.stdout
  } finally {
    server.kill()
    // It removes its socket and lock file too.
    await until('the display is gone', () => server.exitCode !== null || server.signalCode !== null)
  }
}

/**
 * Imitates the start of VS Code's Remote SSH: a script through a shell without a terminal starts a server on
 * the device's loopback and prints its port; the editor reaches it through the same connection's SOCKS proxy.
 */
export const editor = (): Row[] =>
  rowsOf('an editor’s server (VS Code’s way)', ['curl', 'python3'], {
    'start by script, reach by SOCKS': async (site) => {
      const [socks, port] = [await freePort(), await freePort()]
      const child = start([...over(site).split(' '), '-T', '-D', String(socks), 'device', 'bash'])
      let output = ''
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
      child.stdin.write(`echo "running=$(uname -m)"
mkdir -p .editor-server && cd .editor-server && echo served > page
nohup python3 -m http.server --bind 127.0.0.1 ${port} >log 2>&1 </dev/null &
echo "pid=$!="
until (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; do :; done
echo "listening=="
`)
      try {
        await until('the server on the device listens', () => output.includes('listening=='))
        const url = `http://127.0.0.1:${port}/page`
        const pages = Array.from({ length: 5 }, () =>
          tool(['curl', '-sS', '--fail', '--socks5-hostname', `127.0.0.1:${socks}`, url]),
        )
        const said2 = (await Promise.all(pages)).map(({ stdout }) => stdout)
        must(
          said2.every((page) => page === 'served\n'),
          said2,
        )
        return said2
      } finally {
        child.stdin.end('kill %1; exit 0\n')
        await until('the connection ends', () => child.exitCode !== null || child.signalCode !== null)
      }
    },
  })
