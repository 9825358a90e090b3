// Dropbear's client, common on small devices.
import { join } from 'node:path'
import { freePort } from '@bowline/testkit/free-port'
import { until } from '../../support/wait.ts'
import { type Row, type Site, rowsOf } from '../row.ts'
import { attempt, must, sha256, start, tool } from '../tool.ts'
import { someBytes } from './openssh.ts'
import { askPort, throughPort } from './through.ts'

export function dropbear(): Row[] {
  const env = (site: Site) => ({ DROPBEAR_PASSWORD: site.password, HOME: site.scratch })
  const words = (site: Site, ...more: string[]): string[] => [
    'dbclient',
    '-y',
    '-y',
    ...more.slice(0, -1),
    '-p',
    String(site.port),
    '-l',
    site.login,
    site.host,
    ...more.slice(-1).filter(Boolean),
  ]
  return rowsOf('Dropbear', ['dbclient', 'dropbearconvert'], {
    'a command, with its own exit code and both outputs': async (site) => {
      const ran = await attempt(words(site, 'echo out; echo err >&2; exit 7'), { env: env(site) })
      must(ran.code === 7 && ran.stdout === 'out\n', ran)
      return { ...ran, stderr: ran.stderr.replace(site.login, 'LOGIN') }
    },
    'input of 4 MiB, there and back': async (site) => {
      const input = someBytes(4_194_304)
      const ran = await tool(words(site, 'cat'), { input, env: env(site) })
      const back = sha256(Buffer.from(ran.stdout, 'latin1'))
      must(back === sha256(input), back)
      return back
    },
    'a terminal, with its size and modes': async (site) => {
      // It needs its own terminal, which script(1) provides.
      const line = `${words(site, '-t', "'tty | tr -d 0-9; stty -a'").join(' ')} 2>/dev/null`
      const ran = await tool(['script', '-qec', line, '/dev/null'], { env: env(site) })
      // script(1) forwards its own end of input as ^D, whose echo may appear at any moment.
      const output = ran.stdout.replaceAll('^@', '')
      must(output.startsWith('/dev/pts/\r\n'), ran)
      return output
    },
    'a key in Dropbear’s own format': async (site) => {
      const key = join(site.scratch, 'key')
      await tool(['dropbearconvert', 'openssh', 'dropbear', site.keyFile, key])
      const ran = await tool(words(site, '-i', key, 'echo by key'), { env: { HOME: site.scratch } })
      must(ran.stdout === 'by key\n', ran)
      return ran.stdout
    },
    'a local forward (-L)': async (site) => {
      const port = await freePort()
      const child = start(words(site, '-N', '-L', `${port}:127.0.0.1:${site.echo.port}`, ''), { env: env(site) })
      try {
        return await throughPort(port)
      } finally {
        child.kill()
      }
    },
    'a remote forward (-R)': async (site) => {
      const port = await freePort()
      const ran = await tool(words(site, '-R', `${port}:127.0.0.1:${site.echo.port}`, askPort(port)), {
        env: env(site),
      })
      must(ran.stdout === 'through\n', ran)
      return ran.stdout
    },
    'standard input and output to a port (-B)': async (site) => {
      const child = start(words(site, '-B', `127.0.0.1:${site.echo.port}`, ''), { env: env(site) })
      let out = ''
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
      child.stdin.write('through\n')
      try {
        await until('the forward carries', () => out === 'through\n')
        return out
      } finally {
        child.kill()
      }
    },
  })
}
