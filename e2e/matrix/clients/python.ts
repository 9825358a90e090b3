// Two SSH libraries of Python, each with one script that does everything it is asked for and prints JSON.
import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'
import { type Row, type Site, rowsOf } from '../row.ts'
import { must, tool } from '../tool.ts'

/** Debian's, which has the libraries; another `python3` may come before it. */
const PYTHON = '/usr/bin/python3'

const FEATURES = {
  exec: 'a command, with its own exit code and both outputs',
  input: 'input of 4 MiB, there and back',
  pty: 'a terminal, with its size and a change of it',
  key: 'a key',
  signal: 'a command that a signal ends',
  sftp: 'sftp: write, read, list, rename, remove',
  local: 'a connection from the device (direct-tcpip)',
  remote: 'a remote forward',
  many: 'twenty commands at once on one connection',
} as const

interface Answer {
  readonly works: boolean
}

/** Rows of the library that `<module>.py` in this folder uses. */
export function pythonLibrary(name: string, module: 'paramiko_client' | 'asyncssh_client'): Row[] {
  const script = join(import.meta.dirname, `${module}.py`)
  const row = (feature: string) => async (site: Site) => {
    const { host, port, login, password, keyFile, echo } = site
    const order = { feature, host, port, login, password, keyFile, echoPort: echo.port, freePort: await freePort() }
    const { stdout } = await tool([PYTHON, script], { input: JSON.stringify(order) })
    const answer = JSON.parse(stdout) as Answer
    must(answer.works, answer)
    return answer
  }
  return rowsOf(
    name,
    [`${PYTHON}:${module.replace('_client', '')}`],
    Object.fromEntries(Object.entries(FEATURES).map(([feature, title]) => [title, row(feature)])),
  )
}
