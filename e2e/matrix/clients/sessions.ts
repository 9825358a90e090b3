// Rows about commands and shells: how they end, what they may use, and what happens when the client is gone.
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../../support/wait.ts'
import { type Row, type Site, rowsOf } from '../row.ts'
import { attempt, must, start, tool } from '../tool.ts'

const ssh = (site: Site, command: string): string[] => ['ssh', '-F', site.configFile, 'device', command]

export function sessions(): Row[] {
  return rowsOf('OpenSSH 9.2', ['ssh'], {
    'commands that die of signals without a name in SSH': async (site) => {
      const commands = ['BUS', 'SYS', 'XCPU'].map((name) => `ulimit -c 0; kill -${name} $$`)
      const ran = await Promise.all(commands.map((command) => attempt(ssh(site, command))))
      must(
        ran.every(({ code }) => code === 255),
        ran,
      )
      return ran
    },
    'limits, and outputs opened by name': async (site) => {
      const command = 'ulimit -Sn; ulimit -Hn; ulimit -Su; umask; echo out >/dev/stdout; echo err >/dev/stderr'
      const ran = await tool(ssh(site, command))
      must(ran.stdout.endsWith('out\n') && ran.stderr === 'err\n', ran)
      return ran
    },
    'a command whose client is killed': async (site) => {
      const command = 'echo on; cat; until [ -e go ]; do sleep 0.1; done; sleep 1; echo outcome >w; mv w outcome'
      const child = start(ssh(site, command))
      await once(child.stdout, 'data')
      child.kill('SIGKILL')
      await writeFile(join(site.home, 'go'), '')
      const result = join(site.home, 'outcome')
      const outcome = await until('the command goes on', () => readFile(result, 'utf8').catch(() => undefined))
      must(outcome === 'outcome\n', outcome)
      return outcome
    },
  })
}
