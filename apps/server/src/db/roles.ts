// The two roles that access the data (migrations/0001 defines their privileges), and the owner's right to assume them.
// Invariant: neither can log in, is a superuser or has BYPASSRLS, and the owner does not inherit their privileges.
import { type Client, DatabaseError } from 'pg'
import { DatabaseRefused, type OwnerFacts, quoteIdentifier } from './owner-session.ts'

export const APP_ROLE = 'bowline_app'
export const SYSTEM_ROLE = 'bowline_system'
const WORKING_ROLES = [APP_ROLE, SYSTEM_ROLE] as const

/**
 * Before PostgreSQL 16 memberships have no SET and INHERIT options; inheritance is a property of the member. There the
 * owner is a member of this NOINHERIT role, which is a member of the working roles: the owner can assume them without
 * inheriting anything.
 */
const GO_BETWEEN_ROLE = 'bowline_login'
const FIRST_MAJOR_WITH_GRANT_OPTIONS = 16

const INSUFFICIENT_PRIVILEGE = '42501'
/** Another server created the role between our check and our statement. */
const ALREADY_THERE = new Set(['42710', '23505'])

interface RoleRow {
  readonly rolname: string
  readonly unsafe: boolean
}

/**
 * Creates missing working roles and the owner's missing memberships in them. Does nothing, and needs no privilege, if
 * an administrator has prepared them.
 * @throws {DatabaseRefused} with the SQL for an administrator, when the owner may not do it; or when a role of that
 *   name has excessive privileges
 */
export async function ensureWorkingRoles(client: Client, facts: OwnerFacts): Promise<void> {
  try {
    const needed = neededRoles(facts)
    const present = await lookUp(client, needed)
    for (const role of needed) {
      if (!present.some(({ rolname }) => rolname === role)) await createRole(client, role)
    }
    for (const { rolname, unsafe } of await lookUp(client, needed)) {
      if (unsafe) {
        throw new DatabaseRefused(
          `The role ${rolname} must be NOLOGIN NOSUPERUSER NOBYPASSRLS. Run as an administrator: ` +
            `alter role ${rolname} nologin nosuperuser nobypassrls;`,
        )
      }
    }
    if (!(await ownerStandsRight(client, facts))) {
      for (const statement of membershipStatements(facts)) await client.query(statement)
    }
    if (!(await ownerStandsRight(client, facts))) throw new DatabaseRefused(instructions(facts))
  } catch (error) {
    if (error instanceof DatabaseError && error.code === INSUFFICIENT_PRIVILEGE) {
      throw new DatabaseRefused(instructions(facts))
    }
    throw error
  }
}

async function lookUp(client: Client, names: readonly string[]): Promise<RoleRow[]> {
  const { rows } = await client.query<RoleRow>(
    'select rolname, rolsuper or rolbypassrls or rolcanlogin as unsafe from pg_roles where rolname = any($1)',
    [names],
  )
  return rows
}

async function createRole(client: Client, role: string): Promise<void> {
  try {
    await client.query(creation(role))
  } catch (error) {
    if (!(error instanceof DatabaseError && ALREADY_THERE.has(error.code ?? ''))) throw error
  }
}

/** Checks that the owner can assume both roles but has none of their privileges otherwise. */
async function ownerStandsRight(client: Client, facts: OwnerFacts): Promise<boolean> {
  const become = facts.major >= FIRST_MAJOR_WITH_GRANT_OPTIONS ? 'set' : 'member'
  const { rows } = await client.query<{ right: boolean }>(
    `select bool_and(pg_has_role(current_user, rolname, $1) and not pg_has_role(current_user, rolname, 'usage')) as right
     from pg_roles where rolname = any($2)`,
    [become, WORKING_ROLES],
  )
  return rows[0]?.right ?? false
}

function neededRoles({ major }: OwnerFacts): string[] {
  return major >= FIRST_MAJOR_WITH_GRANT_OPTIONS ? [...WORKING_ROLES] : [...WORKING_ROLES, GO_BETWEEN_ROLE]
}

function creation(role: string): string {
  return `create role ${role} nologin${role === GO_BETWEEN_ROLE ? ' noinherit' : ''}`
}

function membershipStatements({ user, major }: OwnerFacts): string[] {
  const owner = quoteIdentifier(user)
  const roles = WORKING_ROLES.join(', ')
  if (major >= FIRST_MAJOR_WITH_GRANT_OPTIONS) return [`grant ${roles} to ${owner} with inherit false, set true`]
  return [
    `revoke ${roles} from ${owner}`,
    `grant ${roles} to ${GO_BETWEEN_ROLE}`,
    `grant ${GO_BETWEEN_ROLE} to ${owner}`,
  ]
}

function instructions(facts: OwnerFacts): string {
  const statements = [...neededRoles(facts).map(creation), ...membershipStatements(facts)]
  return (
    `The database login ${quoteIdentifier(facts.user)} may not create the roles that Bowline works with. ` +
    `Run as an administrator (leave out what exists):\n${statements.map((statement) => `  ${statement};`).join('\n')}`
  )
}
