// Subjects of a rule: members and roles in one list of choices, `user:<id>` and `role:<name>`. Pure.
import { ROLES, type Role } from '@bowline/contract/roles'
import { UserId } from '@bowline/contract/schemas/common'
import type { Rule } from '@bowline/contract/schemas/firewall'
import type { Member } from '@bowline/contract/schemas/namespace'
import { firewallMessages as texts } from './messages.ts'

type Subjects = Pick<Rule, 'people' | 'roles'>

const PERSON = 'user:'
const ROLE = 'role:'

/** A choice of the field, with its label. */
export interface Choice {
  readonly value: string
  readonly label: string
}

export function toChoices({ people, roles }: Subjects): string[] {
  return [...roles.map((role) => ROLE + role), ...people.map((id) => PERSON + id)]
}

export function toSubjects(choices: readonly string[]): Subjects {
  return {
    people: choices.flatMap((one) => (one.startsWith(PERSON) ? UserId.parse(one.slice(PERSON.length)) : [])),
    roles: ROLES.filter((role) => choices.includes(ROLE + role)),
  }
}

/** Choices by group. Somebody chosen who is not in the list of members stays a choice. */
export function choicesOf(members: readonly Pick<Member, 'id' | 'email'>[], chosen: readonly string[]) {
  const known = members.map(({ id, email }) => ({ value: PERSON + id, label: email }))
  const unknown = chosen
    .filter((one) => one.startsWith(PERSON) && !known.some(({ value }) => value === one))
    .map((value) => ({ value, label: texts.unknownPerson }))
  const roles = ROLES.toReversed().map((role): Choice => ({ value: ROLE + role, label: texts.roleNames[role] }))
  return [
    { group: texts.roleGroup, items: roles },
    { group: texts.memberGroup, items: [...known, ...unknown] },
  ]
}

/** The subjects in words; undefined for a rule about everybody. */
export function subjectsText(
  { people, roles }: Subjects,
  members: readonly Pick<Member, 'id' | 'email'>[],
): string | undefined {
  const names = people.map((id) => members.find((member) => member.id === id)?.email ?? texts.unknownPerson)
  const all = [...roles.map((role: Role) => texts.roleNames[role]), ...names]
  return all.length === 0 ? undefined : all.join(', ')
}
