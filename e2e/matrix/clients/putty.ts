// PuTTY's programs: plink, psftp, pscp.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@bowline/testkit/free-port'
import { type Row, type Site, rowsOf } from '../row.ts'
import { attempt, must, sha256, start, tool } from '../tool.ts'
import { hostKeyOf } from './host-key.ts'
import { picture, someBytes } from './openssh.ts'
import { askPort, throughPort } from './through.ts'

const MEGABYTE = 1_048_576

/** Arguments before the host: PuTTY's programs read no configuration file and need the host key. */
async function options(site: Site): Promise<string[]> {
  const { fingerprint } = await hostKeyOf(site)
  return ['-batch', '-hostkey', fingerprint, '-P', String(site.port), '-l', site.login, '-pw', site.password]
}

export function putty(): Row[] {
  const plink = async (site: Site, ...words: string[]): Promise<string[]> => [
    'plink',
    ...(await options(site)),
    ...words,
  ]
  return rowsOf('PuTTY', ['plink', 'psftp', 'pscp', 'puttygen'], {
    'a command, with its own exit code and both outputs': async (site) => {
      const ran = await attempt(await plink(site, site.host, 'echo out; echo err >&2; exit 7'))
      must(ran.code === 7 && ran.stdout === 'out\n' && ran.stderr.endsWith('err\n'), ran)
      return ran
    },
    'input of 4 MiB, there and back': async (site) => {
      const input = someBytes(4 * MEGABYTE)
      const ran = await tool(await plink(site, '-T', site.host, 'cat'), { input })
      const back = sha256(Buffer.from(ran.stdout, 'latin1'))
      must(back === sha256(input), back)
      return back
    },
    'a terminal, with its size and modes': async (site) => {
      const ran = await tool(await plink(site, '-t', site.host, 'tty | tr -d 0-9; echo $TERM; stty -a'))
      must(ran.stdout.startsWith('/dev/pts/\r\n'), ran)
      return ran
    },
    'a key in PuTTY’s own format': async (site) => {
      const key = join(site.scratch, 'key.ppk')
      await tool(['puttygen', site.keyFile, '-O', 'private', '-o', key])
      const words = (await options(site)).slice(0, -2)
      const ran = await tool(['plink', ...words, '-i', key, site.host, 'echo by key'])
      must(ran.stdout === 'by key\n', ran)
      return ran.stdout
    },
    'a local forward (-L)': async (site) => {
      const port = await freePort()
      const child = start(await plink(site, '-N', '-L', `${port}:127.0.0.1:${site.echo.port}`, site.host))
      try {
        return await throughPort(port)
      } finally {
        child.kill()
      }
    },
    'a remote forward (-R)': async (site) => {
      const port = await freePort()
      const ran = await tool(await plink(site, '-R', `${port}:127.0.0.1:${site.echo.port}`, site.host, askPort(port)))
      must(ran.stdout === 'through\n', ran)
      return ran.stdout
    },
    'psftp, a batch': async (site) => {
      const [near, back, batch] = ['near', 'back', 'batch'].map((name) => join(site.scratch, name))
      await writeFile(`${near}`, someBytes(2 * MEGABYTE))
      const lines = ['mkdir tree', `put ${near} tree/far`, 'mv tree/far tree/further', 'chmod 600 tree/further']
      await writeFile(
        `${batch}`,
        [...lines, `get tree/further ${back}`, 'rm tree/nothing', 'cd tree', 'pwd'].join('\n'),
      )
      const ran = await attempt(['psftp', ...(await options(site)), '-b', `${batch}`, '-be', site.host])
      must(sha256(await readFile(`${back}`)) === sha256(await readFile(`${near}`)), ran)
      const { code, stdout, stderr } = ran
      const output = stdout.replaceAll(site.scratch, 'SCRATCH')
      return { code, output, stderr: stderr.replace(site.login, 'LOGIN'), home: await picture(site.home) }
    },
    'pscp, there and back': async (site) => {
      const [near, back] = ['near', 'back'].map((name) => join(site.scratch, name))
      await writeFile(`${near}`, someBytes(MEGABYTE))
      await tool(['pscp', '-q', ...(await options(site)), `${near}`, `${site.host}:far`])
      await tool(['pscp', '-q', ...(await options(site)), `${site.host}:far`, `${back}`])
      must(sha256(await readFile(`${back}`)) === sha256(await readFile(`${near}`)), 'another file came back')
      return (await picture(site.home)).replace(/\d{4}-.*? /, '')
    },
  })
}
