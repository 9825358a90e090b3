// The user name in SSH lines: the last one used in this browser.
import { useStore } from '../context.tsx'
import { createStore } from '../../platform/store.ts'

const KEY = 'bowline.ssh-user'
/** Longest login name on Linux (useradd). */
const MAX_CHARS = 32
export const DEFAULT_SSH_USER = 'root'

const user = createStore(read())

/** The user name at the moment. */
export const sshUser = (): string => user.get()

/** The user name in every SSH line of the console. */
export function useSshUser(): string {
  return useStore(user)
}

/** Changes it everywhere; an empty name restores the default. */
export function rememberSshUser(name: string): void {
  const chosen = name.trim().slice(0, MAX_CHARS)
  user.set(chosen === '' ? DEFAULT_SSH_USER : chosen)
  try {
    localStorage.setItem(KEY, user.get())
  } catch {
    // Storage is disabled: kept until the page is closed.
  }
}

function read(): string {
  try {
    return localStorage.getItem(KEY) ?? DEFAULT_SSH_USER
  } catch {
    return DEFAULT_SSH_USER
  }
}
