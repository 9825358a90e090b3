// Test support: creates a real user of this system and removes it again. Needs root.
import { execFileSync } from 'node:child_process'
import { beforeEach } from 'vitest'

/** Without root no users can be created; the tests of this file are skipped then, and fail under `CI=true`. */
export function needsRoot(): void {
  beforeEach((context) => {
    context.skip(process.getuid?.() !== 0 && process.env['CI'] !== 'true', 'needs root, to make users')
  })
}

export interface TemporaryUser {
  readonly name: string
  readonly uid: number
  readonly home: string
  /** Name and id of a supplementary group. */
  readonly group: { readonly name: string; readonly id: number }
  /** Changes the account with usermod(8) or chage(1). */
  change(tool: 'usermod' | 'chage', ...args: string[]): void
  remove(): void
}

let count = 0
/** @param hash crypt(3) hash, or any other content of the field */
export function makeUser(hash: string): TemporaryUser {
  count += 1
  const name = `bowl${process.pid}x${count}`
  const groupName = `${name}g`
  const run = (tool: string, args: readonly string[]) => retried(() => execFileSync(tool, args, { stdio: 'pipe' }))
  run('groupadd', [groupName])
  run('useradd', ['--create-home', '--shell', '/bin/bash', '--groups', groupName, '--password', hash, name])
  const [, , uid = '', , , home = ''] = execFileSync('getent', ['passwd', name], { encoding: 'utf8' }).split(':')
  const [, , id = ''] = execFileSync('getent', ['group', groupName], { encoding: 'utf8' }).split(':')
  return {
    name,
    uid: Number(uid),
    home,
    group: { name: groupName, id: Number(id) },
    change: (tool, ...args) => run(tool, [...args, name]),
    remove() {
      run('userdel', ['--force', '--remove', name])
      run('groupdel', [groupName])
    },
  }
}

/** Retries while the user database is locked. */
function retried<T>(act: () => T): T {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return act()
    } catch (error) {
      if (attempt === 20) throw error
    }
  }
}
