// The greeting of a shell with a terminal, like sshd's: messages of PAM's modules, or the message of the day, and the
// last login.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from '../login/account.ts'
import type { LastLogin } from '../native/login-records.ts'
import { actingAs } from '../native/identity.ts'

const MOTD = '/etc/motd'
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Whether the user has disabled the greeting: `.hushlogin` in their home, looked up with their permissions. */
export function isHushed(account: Account): boolean {
  try {
    return actingAs(account, () => existsSync(join(account.home, '.hushlogin')))
  } catch {
    return false
  }
}

/**
 * @param told messages of PAM's modules; undefined without PAM, when we show the message of the day
 * @param last undefined: never logged in before, or unknown
 * @returns bytes for the terminal
 */
export function greeting(told: string | undefined, last: LastLogin | undefined, motd = MOTD): Uint8Array {
  // pam_lastlog, where the machine has it, has reported the last login itself.
  const lastLine = last && !/^Last login: /m.test(told ?? '') ? `Last login: ${lastText(last)}` : ''
  const parts = [told ?? '', lastLine, told === undefined ? textOf(motd) : '']
  const lines = parts.flatMap((part) => (part === '' ? [] : part.replace(/\n$/, '').split('\n')))
  return Buffer.from(lines.map((line) => `${line}\r\n`).join(''))
}

function lastText({ at, host }: LastLogin): string {
  return host === '' ? ctime(at) : `${ctime(at)} from ${host}`
}

/** Formats like ctime(3), in the time zone of the device. */
function ctime(at: Date): string {
  const day = String(at.getDate()).padStart(2)
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
  return `${DAYS[at.getDay()]} ${MONTHS[at.getMonth()]} ${day} ${time} ${at.getFullYear()}`
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
