// `become-user`, the agent's own program in the place of setpriv: takes on the credentials and becomes the program.
// Whatever fails ends it before the program runs.

export interface BecomeOrder {
  readonly uid: number
  readonly gid: number
  readonly groups: readonly number[]
  /** The program, with its arguments, argv[0] included. */
  readonly path: string
  readonly argv: readonly string[]
}

/** Does not return. @param order a {@link BecomeOrder} as JSON, from this program's other process */
export function becomeUser(order: string): never {
  const { uid, gid, groups, path, argv }: BecomeOrder = JSON.parse(order)
  process.setgroups?.([...groups])
  process.setgid?.(gid)
  process.setuid?.(uid)
  const ids = [process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getegid?.()]
  if (ids.join() !== [uid, uid, gid, gid].join()) throw new Error('the user could not be changed')
  if (!process.execve) throw new Error('this Node cannot become another program')
  return process.execve(path, [...argv], process.env)
}
