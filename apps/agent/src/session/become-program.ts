// `become-user`, the agent's own replacement for setpriv: assumes the credentials and executes the program. Any failure
// ends it before the program runs.
import { becomeUser } from '../login/become-user.ts'

export interface BecomeOrder {
  readonly uid: number
  readonly gid: number
  readonly groups: readonly number[]
  /** The program, with its arguments, argv[0] included. */
  readonly path: string
  readonly argv: readonly string[]
}

/** Does not return. @param order a {@link BecomeOrder} as JSON, from the agent */
export function becomeProgram(order: string): never {
  const { path, argv, ...user }: BecomeOrder = JSON.parse(order)
  becomeUser(user)
  if (!process.execve) throw new Error('this Node.js has no process.execve')
  return process.execve(path, [...argv], process.env)
}
