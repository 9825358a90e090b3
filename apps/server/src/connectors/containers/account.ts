// Accounts of a container, from its own /etc/passwd.

export interface ContainerAccount {
  readonly name: string
  readonly uid: number
  readonly home: string
  readonly shell: string
}

const FALLBACK_SHELL = '/bin/sh'
const PATHNAME = /^\/[^\p{Cc}]{0,1023}$/u

/** @param passwd text of /etc/passwd; untrusted */
export function accountOf(passwd: string, name: string): ContainerAccount | undefined {
  for (const line of passwd.split('\n')) {
    const [account, , uid = '', , , home = '', shell = ''] = line.split(':')
    if (account !== name || !/^\d{1,10}$/.test(uid)) continue
    return {
      name,
      uid: Number(uid),
      home: PATHNAME.test(home) ? home : '/',
      shell: PATHNAME.test(shell) ? shell : FALLBACK_SHELL,
    }
  }
  return undefined
}
