// The agent's order to the file program, passed as its one argument.
import type { Account } from '../login/account.ts'

/** The user whose files are served. */
export type Order = Pick<Account, 'name' | 'uid' | 'gid' | 'groups' | 'home'>

export function encodeOrder({ name, uid, gid, groups, home }: Account): string {
  return JSON.stringify({ name, uid, gid, groups, home } satisfies Order)
}

/** @throws {Error} when it is not an order */
export function parseOrder(argument: string): Order {
  const value: unknown = argument.startsWith('{') ? JSON.parse(argument) : undefined
  if (!isOrder(value)) throw new Error('this program is started by the agent')
  return value
}

function isOrder(value: unknown): value is Order {
  if (typeof value !== 'object' || value === null) return false
  const { name, uid, gid, groups, home } = value as Record<string, unknown>
  return (
    typeof name === 'string' &&
    Number.isInteger(uid) &&
    Number.isInteger(gid) &&
    Array.isArray(groups) &&
    groups.every((group) => Number.isInteger(group)) &&
    typeof home === 'string'
  )
}
