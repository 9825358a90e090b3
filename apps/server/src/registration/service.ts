// Registration: people make accounts for themselves and prove their address by the link of a mail. An address that has
// an account already gets the same answer after the same work; only its owner learns of it, by mail.
import type { RegistrationMode } from '@bowline/contract/settings/registration'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Input } from '@bowline/contract/operation'
import type { operations } from '@bowline/contract/operations'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { UserAuth } from '@bowline/contract/schemas/user'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import { type AuthDeps, startLogin } from '../auth/service.ts'
import { requireLocalSignIn } from '../auth/ways-in.ts'
import { spend } from '../budgets/service.ts'
import type { Origin, TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { MailQueue } from '../mails/queue.ts'
import {
  type AdoptedInvitations,
  type InvitedPlaceholder,
  adoptInvitations,
  emitAdopted,
  findInvitedPlaceholder,
  isInvited,
} from '../members/invitations.ts'
import { networkKey, sourceKey } from '../platform/network/address.ts'
import type { Ids } from '../platform/ids.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import { confirmAddress, vouchForAddress } from '../users/address.ts'
import {
  completeRegistration,
  findAccountByEmail,
  getAccount,
  isUsernameTaken,
  requireOtherThanNames,
  requireOwnName,
} from '../users/service.ts'
import {
  type RegistrationRow,
  deleteRegistrationsOf,
  insertRegistration,
  listRegistrations,
  lockRegistrationsOf,
  renewRegistration,
  takeRegistration,
} from './store.ts'

export interface RegistrationDeps {
  readonly auth: AuthDeps
  readonly mails: MailQueue
  readonly mode: RegistrationMode
  /** True for sources that budgets do not count. */
  readonly isExemptSource: (address: string) => boolean
}

type NewPerson = Input<typeof operations.users.register>['body']

const PER_SOURCE = { name: 'registrations of a source', limit: LIMITS.registrationsPerSourceAndHour, hours: 1 }
/** One customer's network holds many sources. */
const PER_NETWORK = { name: 'mail requests of a network', limit: LIMITS.mailRequestsPerNetworkAndHour, hours: 1 }
const PER_ADDRESS = {
  name: 'registrations of a source for an address',
  limit: LIMITS.mailRequestsPerNameAndHour,
  hours: 1,
}

/**
 * Registers somebody.
 * @returns a sign-in when the secret of a mailed invitation has proven the address; else nothing: a mail is on its way
 * @throws {BowlineError} LOCAL_SIGN_IN_DISABLED; REGISTRATION_CLOSED; INVALID_INPUT for a password that equals a name; CONFLICT for a taken
 *   username; TOO_MANY_REQUESTS
 */
export async function register(
  deps: RegistrationDeps,
  person: NewPerson,
  origin: Origin,
): Promise<UserAuth | undefined> {
  const { auth, mode } = deps
  const { clock, passwords, db } = auth
  await requireLocalSignIn(auth)
  const invited = person.sig ? await findInvitedPlaceholder({ db, clock }, person.sig, person.email) : undefined
  if (mode === 'closed' || (mode === 'invited' && !invited)) fail('REGISTRATION_CLOSED')
  requireOtherThanNames(person.password, [person.username, person.email])
  requireOwnName(person.username, person.email)
  await spendOn(deps, PER_SOURCE, PER_ADDRESS, person.email, origin)
  if (await isUsernameTaken(db, person.username)) fail('CONFLICT', { field: 'username' }, ['username'])
  const passwordHash = await passwords.hash(person.password, origin.source)
  if (invited && isProof(deps, invited)) return registerInvited(deps, person, passwordHash, origin)
  const { link, row } = newRegistration(deps, person, passwordHash)
  await db.transaction().execute(async (inner) => {
    await insertRegistration(inner, row)
    await sendConfirmation({ db: inner, mails: deps.mails }, row, link, origin.source)
  })
  return undefined
}

/**
 * Counts a use by a source, by its network, and by the network for a name, before anything is looked up. A name alone has
 * no limit: strangers would use it up.
 */
export async function spendOn(
  { auth, isExemptSource }: Pick<RegistrationDeps, 'auth' | 'isExemptSource'>,
  perSource: Parameters<typeof spend>[1],
  perName: Parameters<typeof spend>[1],
  name: string,
  { source }: Origin,
): Promise<void> {
  if (!isExemptSource(source)) {
    await spend(auth, perSource, sourceKey(source))
    await spend(auth, PER_NETWORK, networkKey(source))
  }
  // One IPv6 network has sources without number, which would use up the mails that an address may get.
  const by = source.includes(':') ? networkKey(source) : sourceKey(source)
  await spend(auth, perName, `${by} ${name.toLowerCase()}`)
}

/** Without mail, members vouch for the addresses that they invite: nothing else could prove them. */
function isProof({ mails }: Pick<RegistrationDeps, 'mails'>, { isProven }: InvitedPlaceholder): boolean {
  return isProven || !mails.isSending
}

async function registerInvited(
  deps: RegistrationDeps,
  person: NewPerson,
  passwordHash: string,
  origin: Origin,
): Promise<UserAuth> {
  const { auth } = deps
  const { clock, ids } = auth
  const id = await auth.db.transaction().execute(async (db) => {
    await lockRegistrationsOf(db, person.email)
    // Judged again in the transaction: the invitation may have been used or taken back meanwhile.
    const found = await findInvitedPlaceholder({ db, clock }, person.sig ?? '', person.email)
    if (!found || !isProof(deps, found)) fail('REGISTRATION_CLOSED')
    const made = await completeRegistration(db, { ids, clock, origin }, provenValues(person, passwordHash))
    await deleteRegistrationsOf(db, person.email)
    return made ?? fail('REGISTRATION_CLOSED')
  })
  return startLogin(auth, (await getAccount(auth.db, id)) ?? fail('INTERNAL'), origin)
}

/** People who register themselves may own one namespace; the operator raises that. */
const MAX_NAMESPACES = 1

function provenValues(
  {
    name,
    username,
    email,
    email_marketing: emailMarketing,
  }: Pick<RegistrationRow, 'name' | 'username' | 'email' | 'email_marketing'>,
  passwordHash: string,
) {
  return { name, username, email, passwordHash, emailMarketing, maxNamespaces: MAX_NAMESPACES }
}

function newRegistration(deps: RegistrationDeps, person: NewPerson, passwordHash: string) {
  const { clock, ids } = deps.auth
  const { name, username, email, email_marketing } = person
  const { token_hash, expires_at, link } = newLink(deps, email)
  const created_at = new Date(clock.now())
  const row = { id: ids.uuid(), token_hash, name, username, email, password_hash: passwordHash, email_marketing }
  return { link, row: { ...row, created_at, expires_at } }
}

/** A fresh confirmation link and the values that a registration stores of it. */
function newLink(
  { auth, mails }: { readonly auth: { readonly clock: Clock; readonly ids: Ids }; readonly mails: MailQueue },
  email: string,
) {
  const token = auth.ids.secret(32)
  return {
    link: mails.link('/validation-account', { email, token }),
    token_hash: hashOf(token),
    expires_at: new Date(auth.clock.now() + LIMITS.confirmationHours * 3_600_000),
  }
}

/**
 * Mails the link; or, to an address that has an account, that somebody has tried. Both cost the same.
 * @returns whether a mail was written
 */
async function sendConfirmation(
  { db, mails }: { readonly db: Kysely<Schema>; readonly mails: MailQueue },
  { email, name, username, created_at }: Pick<RegistrationRow, 'email' | 'name' | 'username' | 'created_at'>,
  link: string,
  source: string,
): Promise<boolean> {
  const owner = await findAccountByEmail(db, email)
  if (owner?.status === 'confirmed' || owner?.status === 'disabled') {
    const values = { name: owner.name, link: mails.link('/sign-in') }
    return mails.add(db, { kind: 'account-exists', to: email, user: owner.id, source, values })
  }
  const values = { name, username, at: created_at.toISOString(), link, hours: LIMITS.confirmationHours }
  return mails.add(db, { kind: 'confirm', to: email, user: undefined, source, values })
}

/**
 * Mails a new link of the oldest registration with that username or address; its earlier link ends. A later one may be
 * a stranger's, who would get an account with the address of somebody else once that person opens the link.
 * @param db system connection, in a transaction
 * @param identifier lower-case
 */
export async function resendConfirmation(
  deps: Pick<RegistrationDeps, 'auth' | 'mails'>,
  db: Kysely<Schema>,
  identifier: string,
  source: string,
): Promise<void> {
  const by = identifier.includes('@') ? 'email' : 'username'
  const [row] = await listRegistrations(db, by, identifier, { now: new Date(deps.auth.clock.now()), limit: 1 })
  if (!row) return
  const { link, ...values } = newLink(deps, row.email)
  // Without a new mail the link of the last one stays: strangers may ask too.
  if (await sendConfirmation({ db, mails: deps.mails }, row, link, source)) await renewRegistration(db, row.id, values)
}

/**
 * Confirms an address by its link: of a registration, which becomes an account, or of an account's new address.
 * @param contextOf context of a namespace that has invited the new address
 * @throws {BowlineError} NOT_FOUND for a link that is wrong, used or expired; CONFLICT when the username was taken
 *   meanwhile; REGISTRATION_CLOSED when registration was closed or the invitation withdrawn meanwhile
 */
export async function confirm(
  deps: RegistrationDeps,
  contextOf: (tenant: TenantId) => TenantContext,
  link: { readonly email: string; readonly token: string },
  origin: Origin,
): Promise<void> {
  const { auth, mails } = deps
  const { clock } = auth
  const adopted: AdoptedInvitations[] = []
  await auth.db.transaction().execute(async (db) => {
    await lockRegistrationsOf(db, link.email)
    const taken = { email: link.email, hash: hashOf(link.token) }
    const row = await takeRegistration(db, taken, new Date(clock.now()))
    if (row) {
      await requireLocalSignIn(auth)
      await requireOpen(deps, db, row.email)
    }
    const isDone = row
      ? await complete(deps, db, row, origin)
      : await confirmAddress(db, { clock, mails }, link, origin, async (placeholder, account) => {
          adopted.push(await adoptInvitations(db, placeholder, account))
        })
    if (!isDone) fail('NOT_FOUND', { what: 'The link' })
  })
  for (const one of adopted) await emitAdopted(auth.db, contextOf, one)
}

/** @throws {BowlineError} REGISTRATION_CLOSED where the address may not have an account made for it now */
async function requireOpen(
  { mode, auth: { clock } }: RegistrationDeps,
  db: Kysely<Schema>,
  email: string,
): Promise<void> {
  if (mode === 'closed' || (mode === 'invited' && !(await isInvited({ db, clock }, email)))) fail('REGISTRATION_CLOSED')
}

/** @returns false when the address has an account meanwhile */
async function complete(
  deps: { readonly auth: Pick<AuthDeps, 'ids' | 'clock'> },
  db: Kysely<Schema>,
  row: RegistrationRow,
  origin: Origin,
): Promise<boolean> {
  const { ids, clock } = deps.auth
  const id = await completeRegistration(db, { ids, clock, origin }, provenValues(row, row.password_hash))
  await deleteRegistrationsOf(db, row.email)
  return id !== undefined
}

/** Registrations of one username that the operator is asked to choose from. */
const CONFIRMABLE = 100

/**
 * Confirms the registration with a username without its mail, for the operator of the server; without one, the address that
 * the person with the username has set without a proof.
 * @param db system connection, in a transaction
 * @param email of the registration; needed when several people wait for the username
 * @returns the address of the account
 * @throws {BowlineError} NOT_FOUND; CONFLICT for a taken username or address; SEVERAL_REGISTRATIONS
 */
export async function confirmByOperator(
  db: Kysely<Schema>,
  deps: Parameters<typeof complete>[0],
  { username, email }: { readonly username: string; readonly email: string | undefined },
  origin: Origin,
): Promise<string> {
  const period = { now: new Date(deps.auth.clock.now()), limit: CONFIRMABLE }
  const waiting = await listRegistrations(db, 'username', username.toLowerCase(), period)
  const meant = email === undefined ? waiting : waiting.filter((one) => one.email === email.toLowerCase())
  const addresses = [...new Set(meant.map((one) => one.email))]
  if (addresses.length > 1) fail('SEVERAL_REGISTRATIONS', { username, addresses: addresses.join(', ') })
  const [row] = meant
  if (!row) {
    const vouched = await vouchForAddress(db, username.toLowerCase(), email?.toLowerCase())
    return vouched ?? fail('NOT_FOUND', { what: `A registration of ${username}` })
  }
  await lockRegistrationsOf(db, row.email)
  if (!(await complete(deps, db, row, origin))) fail('CONFLICT', { field: 'email' }, ['email'])
  return row.email
}

/**
 * Hash of the password of the oldest registration with a username, so that sign-in can say that the address is not
 * confirmed. Names that look like an address are left out: whether one has an account would show.
 */
export async function pendingPassword(
  db: Kysely<Schema>,
  clock: Clock,
  identifier: string,
): Promise<string | undefined> {
  const [row] = await listRegistrations(db, 'username', identifier.toLowerCase(), {
    now: new Date(clock.now()),
    limit: 1,
  })
  return row && !row.username.includes('@') ? row.password_hash : undefined
}
