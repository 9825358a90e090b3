// Ties the life of this process to its parent's (prctl(2)).
import koffi from 'koffi'

const libc = koffi.load(null)
const prctl: (option: number, type: 'unsigned long', signal: number) => number = libc.func('int prctl(int option, ...)')

const PR_SET_PDEATHSIG = 1
const SIGTERM = 15

/** Has the kernel send this process SIGTERM when its parent ends. What it starts is not concerned. */
export function stopWithParent(): void {
  prctl(PR_SET_PDEATHSIG, 'unsigned long', SIGTERM)
}
