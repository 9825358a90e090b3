// An X11 display on the device (RFC 4254 section 6.3), like sshd's: TCP on loopback, from localhost:10 up. Anyone on
// the device can connect to the display; the protection is the cookie, which the user's client requires of each X
// program. The client generated it for this session; xauth(1) stores it for the user's programs.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Account } from '../../login/account.ts'
import { becoming, type Tools } from '../become.ts'
import { type Accept, codeOf, type Listening, listenOnLoopback } from './listening.ts'

export interface DisplayRequest {
  readonly protocol: string
  readonly cookie: string
  readonly screen: number
}

const FIRST_DISPLAY = 10
const MAX_DISPLAYS = 1_000
const FIRST_PORT = 6_000
const XAUTH_PATHS = ['/usr/bin/xauth', '/usr/bin/X11/xauth', '/usr/X11R6/bin/xauth', '/usr/local/bin/xauth']
/** xauth waits for a stale lock; not forever. */
const XAUTH_TIMEOUT_MS = 10_000
/** xauth reads commands line by line: prevents injection. */
const XAUTH_WORD = /^[A-Za-z0-9.:/_-]+$/

/** @throws {Error} when no display is free, or its cookie cannot be stored */
export async function listenForX11(
  account: Account,
  request: DisplayRequest,
  tools: Tools,
  accept: Accept,
): Promise<Listening & { /** For DISPLAY. */ readonly name: string }> {
  const { protocol, cookie, screen } = request
  if (!XAUTH_WORD.test(protocol) || !XAUTH_WORD.test(cookie)) throw new Error('the X11 cookie is not valid')
  const xauth = XAUTH_PATHS.find((path) => existsSync(path))
  if (!xauth) throw new Error('xauth is not installed on the device')
  const { display, listening } = await firstFreeDisplay(account, accept)
  try {
    const entry = `unix:${display}.${screen}`
    await runXauth(xauth, account, tools, `remove ${entry}\nadd ${entry} ${protocol} ${cookie}\n`)
  } catch (error) {
    listening.close()
    throw error
  }
  return { ...listening, name: `localhost:${display}.${screen}` }
}

async function firstFreeDisplay(account: Account, accept: Accept): Promise<{ display: number; listening: Listening }> {
  for (let display = FIRST_DISPLAY; display < FIRST_DISPLAY + MAX_DISPLAYS; display += 1) {
    try {
      return { display, listening: await listenOnLoopback(account, FIRST_PORT + display, accept) }
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE') throw error
    }
  }
  throw new Error('all displays are taken')
}

/** Passes the cookie on standard input: arguments are readable by every user. */
function runXauth(xauth: string, account: Account, tools: Tools, input: string): Promise<void> {
  const { path, argv } = becoming(account, { path: xauth, argv: ['xauth', '-q', '-'] }, false, tools, '')
  const [, ...args] = argv.map((argument) => Buffer.from(argument).toString())
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { HOME: account.home, PATH: '/usr/bin:/bin' },
      cwd: '/',
      timeout: XAUTH_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    child.on('error', reject)
    child.on('exit', (status) => (status === 0 ? resolve() : reject(new Error('xauth could not keep the cookie'))))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}
