// OpenSSH's own programs: ssh, sftp, scp, ssh-agent.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Place, thisMachine } from '@bowline/testkit/place'
import { freePort } from '@bowline/testkit/free-port'
import { until } from '../../support/wait.ts'
import { type Row, type Site, TRIXIE, rowsOf } from '../row.ts'
import { attempt, must, sha256, start, tool } from '../tool.ts'
import { askPort, throughPort, throughSocket } from './through.ts'

const MEGABYTE = 1_048_576

const made = new Map<number, Buffer>()

/** Random-looking bytes, identical in every run. */
export function someBytes(length: number): Buffer {
  const known = made.get(length)
  if (known) return known
  const bytes = Buffer.alloc(length)
  let state = 12_345
  for (let at = 0; at < length; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    bytes[at] = (state >> 16) & 255
  }
  made.set(length, bytes)
  return bytes
}

/** A bash line that sends a line to a unix socket and prints the reply. */
const askSocket = (path: string): string =>
  `python3 -c 'import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(b"through\\n"); print(s.recv(100).decode(),end="")' ${path}`

/** @param place folder with this version's `ssh`, `sftp` and `scp` */
export function openssh(name: string, place: Place): Row[] {
  const program = (file: string, ...args: string[]): string[] => {
    const [command, words] = place.command(file, args)
    return [command, ...words]
  }
  const ssh = (site: Site, ...words: string[]): string[] => program('ssh', '-F', site.configFile, ...words)
  const run = (site: Site, command: string, ...options: string[]) => tool(ssh(site, ...options, 'device', command))

  /** A forward held open by `ssh -N` while something uses it. */
  async function holding<T>(site: Site, options: readonly string[], use: () => Promise<T>): Promise<T> {
    const child = start(ssh(site, '-N', '-o', 'ExitOnForwardFailure=yes', ...options, 'device'))
    try {
      return await use()
    } finally {
      child.kill('SIGTERM')
    }
  }

  const needs = place === thisMachine ? ['ssh', 'sshpass', 'python3'] : ['ssh', 'sshpass', 'python3', TRIXIE]
  return rowsOf(name, needs, {
    'a command, with its own exit code and both outputs': async (site) => {
      const ran = await attempt(ssh(site, 'device', 'echo out; echo err >&2; id -un; id -Gn; exit 7'))
      must(ran.code === 7 && ran.stderr === 'err\n' && ran.stdout.startsWith(`out\n${site.account}\n`), ran)
      return ran
    },
    'a command that a signal ends': async (site) => {
      const ran = await attempt(ssh(site, 'device', 'kill -TERM $$'))
      must(ran.code !== 0, ran)
      return ran
    },
    'how commands end': async (site) => {
      const commands = [
        'exec >&-; echo late >&2; exit 3',
        'echo out; exec >&- 2>&-; exit 4',
        '(sleep 0.2; echo late) & exit 5',
        'exec <&-; cat; echo $?; exit 6',
        'kill -KILL $$',
        'kill -SEGV $$',
      ]
      const ran = await Promise.all(commands.map((command) => attempt(ssh(site, 'device', command))))
      must(ran[0]?.code === 3 && ran[0].stderr === 'late\n' && ran[2]?.stdout === 'late\n' && ran[2].code === 5, ran)
      return ran
    },
    'a command that does not exist': async (site) => {
      const ran = await attempt(ssh(site, 'device', 'no-such-program'))
      must(ran.code === 127, ran)
      return ran
    },
    'input of 4 MiB, there and back': async (site) => {
      const input = someBytes(4 * MEGABYTE)
      const ran = await tool(ssh(site, 'device', 'cat'), { input })
      const back = sha256(Buffer.from(ran.stdout, 'latin1'))
      must(back === sha256(input), back)
      return back
    },
    'output after the input has ended': async (site) => {
      const ran = await tool(ssh(site, 'device', 'cat >/dev/null; echo all read; echo late >&2'), { input: 'x' })
      must(ran.stdout === 'all read\n', ran)
      return ran
    },
    'a reader that stops (yes | head)': async (site) => {
      const ran = await tool(['sh', '-c', '"$@" | head -2', 'sh', ...ssh(site, 'device', 'yes')])
      must(ran.stdout === 'y\ny\n', ran)
      return ran.stdout
    },
    'a login shell without a terminal': async (site) => {
      const ran = await attempt(ssh(site, '-T', 'device'), {
        input: 'shopt -q login_shell && echo login; pwd; exit 5\n',
      })
      must(ran.code === 5 && ran.stdout.startsWith('login\n'), ran)
      return ran
    },
    // LANG and PATH come from system files that sshd reads through PAM only.
    'the environment of a command': async (site) => {
      const ran = await run(site, 'env | grep -vE "^(SSH_|_=|MAIL=|LANG=|PATH=)" | sort; umask; pwd')
      must(ran.stdout.includes(`USER=${site.account}\n`), ran)
      return ran.stdout
    },
    'variables that the client sends': async (site) => {
      const env = { LANG: 'C.UTF-8', LC_TIME: 'C', LD_PRELOAD: '/nowhere.so', SECRET: 'x' }
      const options = ['-o', 'SendEnv=LANG LC_* LD_PRELOAD SECRET']
      const command = 'echo $LANG,$LC_TIME,$LD_PRELOAD,$SECRET'
      const ran = await tool(ssh(site, ...options, 'device', command), { env })
      must(ran.stdout === 'C.UTF-8,C,,\n', ran)
      return ran.stdout
    },
    'a terminal, with its size and modes': async (site) => {
      const ran = await run(site, 'tty | tr -d 0-9; echo $TERM; stty -a', '-tt')
      must(ran.stdout.startsWith('/dev/pts/\r\nxterm-256color\r\n'), ran)
      return ran
    },
    'a password': async (site) => {
      const words = ssh(site, '-o', 'PubkeyAuthentication=no', 'device', 'echo by password')
      const ran = await tool(['sshpass', '-e', ...words], { env: { SSHPASS: site.password } })
      must(ran.stdout === 'by password\n', ran)
      return ran.stdout
    },
    'a wrong password': async (site) => {
      const options = ['-o', 'PubkeyAuthentication=no', '-o', 'NumberOfPasswordPrompts=1']
      const ran = await attempt(['sshpass', '-e', ...ssh(site, ...options, 'device', 'true')], {
        env: { SSHPASS: 'wrong horse' },
      })
      must(ran.code !== 0 && ran.stdout === '', ran)
      return ran.code
    },
    'a local forward (-L)': async (site) => {
      const port = await freePort()
      return holding(site, ['-L', `${port}:127.0.0.1:${site.echo.port}`], () => throughPort(port))
    },
    'a local forward that leads nowhere': async (site) => {
      const ran = await attempt(ssh(site, '-W', '127.0.0.1:1', 'device'))
      must(ran.code !== 0, ran)
      return ran.code
    },
    'a remote forward (-R)': async (site) => {
      const port = await freePort()
      const ran = await run(site, askPort(port), '-R', `${port}:127.0.0.1:${site.echo.port}`)
      must(ran.stdout === 'through\n', ran)
      return ran
    },
    'a remote forward with a port that the device chooses': async (site) => {
      // ssh prints the chosen port to stderr before the command starts.
      const child = start(ssh(site, '-o', 'LogLevel=INFO', '-R', `0:127.0.0.1:${site.echo.port}`, 'device', 'bash -s'))
      let output = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
      const port = await until('ssh tells the port', () => /Allocated port (\d+)/.exec(output)?.[1])
      let out = ''
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
      child.stdin.end(askPort(port))
      await until('the forward carries', () => out !== '')
      must(out === 'through\n', out)
      return out
    },
    'a SOCKS proxy (-D)': async (site) => {
      const port = await freePort()
      // The echo server returns the request itself, which curl treats as an HTTP/0.9 response.
      const url = `http://127.0.0.1:${site.echo.port}/through`
      const curl = ['curl', '-sS', '--http0.9', '--max-time', '1', '--socks5-hostname', `127.0.0.1:${port}`, url]
      return holding(site, ['-D', String(port)], () =>
        until('the proxy carries', async () => {
          const { stdout } = await attempt(curl)
          return stdout.startsWith('GET /through HTTP/1.1') && 'GET /through'
        }),
      )
    },
    'standard input and output to a port (-W)': async (site) => {
      const ran = await tool(ssh(site, '-W', `127.0.0.1:${site.echo.port}`, 'device'), { input: 'through\n' })
      must(ran.stdout === 'through\n', ran)
      return ran
    },
    'a jump to a machine behind the device (-J)': async (site) => {
      const words = ssh(
        site,
        '-J',
        'device',
        '-p',
        String(site.beyond.port),
        `${site.account}@127.0.0.1`,
        'echo beyond',
      )
      const ran = await tool(words)
      must(ran.stdout === 'beyond\n', ran)
      return ran.stdout
    },
    'a unix socket of the device (-L)': async (site) => {
      const path = join(site.scratch, 'near.sock')
      return holding(site, ['-L', `${path}:${site.echo.socket}`], () => throughSocket(path))
    },
    'a unix socket on the device (-R)': async (site) => {
      const path = join(site.home, 'far.sock')
      const command = `${askSocket(path)}; stat -c %a,%U ${path}`
      const ran = await run(site, command, '-R', `${path}:${site.echo.socket}`)
      must(ran.stdout.startsWith('through\n'), ran)
      return ran.stdout
    },
    'the agent, lent (-A)': async (site) => {
      const socket = join(site.scratch, 'agent')
      const agent = start(['ssh-agent', '-D', '-a', socket])
      const env = { SSH_AUTH_SOCK: socket }
      try {
        await until('the agent runs', async () => (await attempt(['ssh-add', site.keyFile], { env })).code === 0)
        const command = 'ssh-add -L; stat -c %a,%U "$(dirname "$SSH_AUTH_SOCK")"'
        const ran = await tool(ssh(site, '-A', 'device', command), { env })
        must(ran.stdout.startsWith('ssh-ed25519 '), ran)
        return ran.stdout.replace(/^ssh-ed25519 \S+/, 'ssh-ed25519 …')
      } finally {
        agent.kill()
      }
    },
    'one connection for many commands (ControlMaster)': async (site) => {
      const socket = join(site.scratch, 'master')
      return holding(site, ['-M', '-S', socket], async () => {
        await until('the master is there', async () => {
          return (await attempt(ssh(site, '-S', socket, '-O', 'check', 'device'))).code === 0
        })
        const many = Array.from({ length: 8 }, (_, at) => tool(ssh(site, '-S', socket, 'device', `echo ${at}; exit 0`)))
        const output = (await Promise.all(many)).map(({ stdout }) => stdout)
        must(output.join('') === '0\n1\n2\n3\n4\n5\n6\n7\n', output)
        return output
      })
    },
    'new keys in mid-transfer (RekeyLimit)': async (site) => {
      const input = someBytes(4 * MEGABYTE)
      const ran = await tool(ssh(site, '-o', 'RekeyLimit=1M', 'device', 'cat'), { input })
      const back = sha256(Buffer.from(ran.stdout, 'latin1'))
      must(back === sha256(input), back)
      return back
    },
    'a subsystem that does not exist': async (site) => {
      const ran = await attempt(ssh(site, '-s', 'device', 'no-such-subsystem'))
      must(ran.code !== 0, ran)
      return ran
    },
    'sftp, a batch of everything': (site) => sftpBatch(site, program('sftp', '-F', site.configFile)),
    'scp, files and folders': (site) => copies(site, program('scp', '-F', site.configFile)),
    'scp in its old form (-O)': (site) => copies(site, program('scp', '-F', site.configFile, '-O')),
  })
}

/** Contents of the device's home for comparison: kinds, modes, sizes, times and content. */
export async function picture(folder: string): Promise<string> {
  const line = `cd '${folder}' && find . -mindepth 1 -printf '%y %m %u %s %P %l\\n' | LC_ALL=C sort -k5 | sed 's/^d \\([^ ]*\\) \\([^ ]*\\) [0-9]*/d \\1 \\2/'; find . -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum`
  return (await tool(['bash', '--norc', '-c', line])).stdout
}

async function sftpBatch(site: Site, sftp: readonly string[]): Promise<unknown> {
  const file = (name: string): string => join(site.scratch, name)
  await writeFile(file('near'), someBytes(3 * MEGABYTE))
  await chmod(file('near'), 0o640)
  await writeFile(
    file('batch'),
    [
      'mkdir tree',
      `put -p ${file('near')} tree/far`,
      'rename tree/far tree/further',
      'ln -s further tree/link',
      'ln tree/further tree/hard',
      'chmod 600 tree/further',
      'mkdir tree/empty',
      'rmdir tree/empty',
      `put ${file('near')} "tree/a name with spaces"`,
      'ls -n tree/further',
      'ls -1 tree',
      'df -h .',
      `get -p tree/link ${file('back')}`,
      '-rm tree/nothing',
      '-rmdir tree',
      '-get nothing',
      'pwd',
    ].join('\n'),
  )
  const ran = await tool([...sftp, '-b', file('batch'), 'device'])
  must(sha256(await readFile(file('back'))) === sha256(await readFile(file('near'))), ran)
  // Of `df` only that it answered: free space changes, and so do times in listings.
  const output = ran.stdout
    .replaceAll(/^.*[0-9.]+[KMGT]?B? +[0-9.]+.*%$/gm, 'df')
    .replaceAll(/[A-Z][a-z]{2} +\d+ +(\d\d:\d\d|\d{4})/g, 'date')
    .replaceAll(site.scratch, 'SCRATCH')
  return { output, error: ran.stderr, home: await picture(site.home) }
}

async function copies(site: Site, scp: readonly string[]): Promise<unknown> {
  const file = (name: string): string => join(site.scratch, name)
  await mkdir(file('tree/below'), { recursive: true })
  await writeFile(file('tree/one'), someBytes(MEGABYTE))
  await writeFile(file('tree/below/ünicode name'), 'two\n')
  await chmod(file('tree/one'), 0o755)
  await tool([...scp, '-r', '-p', file('tree'), 'device:copied'])
  await tool([...scp, '-r', '-p', 'device:copied', file('back')])
  const [there, back] = [await picture(file('tree')), await picture(file('back'))]
  must(there === back, { there, back })
  const missing = await attempt([...scp, 'device:nothing', file('nothing')])
  return { home: await picture(site.home), missing }
}
