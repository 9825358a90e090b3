// The members that the team page shows: those that match the search, in the order of a column.
import { rank } from '@bowline/contract/roles'
import type { Member } from '@bowline/contract/schemas/namespace'
import { compareNames } from '../../ui/text/numbers.ts'
import { teamMessages as texts } from './messages.ts'
import type { MemberSort } from './search.ts'

const COMPARE: Readonly<Record<MemberSort, (a: Member, b: Member) => number>> = {
  email: () => 0,
  role: (a, b) => rank(a.role) - rank(b.role),
  added_at: (a, b) => Date.parse(a.added_at) - Date.parse(b.added_at),
}

interface MemberSearch {
  /** Words that all have to be part of the address or of the role's name; empty: every member. */
  readonly words: string
  readonly sort: MemberSort
  readonly order: 'asc' | 'desc'
}

/** Members that match, in order; those that are equal are ordered by their addresses. */
export function shownMembers(members: readonly Member[], { words, sort, order }: MemberSearch): Member[] {
  const wanted = words.toLocaleLowerCase().split(/\s+/)
  const matches = ({ email, role }: Member) => {
    const text = `${email} ${texts.roles[role]}`.toLocaleLowerCase()
    return wanted.every((word) => text.includes(word))
  }
  const direction = order === 'asc' ? 1 : -1
  return members.filter(matches).toSorted((a, b) => direction * (COMPARE[sort](a, b) || compareNames(a.email, b.email)))
}
