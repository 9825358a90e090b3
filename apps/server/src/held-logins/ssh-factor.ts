// The second factor as the gateway asks for it: windows, codes of an authenticator, and logins that wait. Nothing is
// written before the caller has verified a credential.
import { createHash } from 'node:crypto'
import { LIMITS } from '@bowline/contract/limits'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import { newUserCode, plainUserCode, shownUserCode } from '../auth/device-codes/user-code.ts'
import type { TenantContext } from '../context.ts'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { MfaDeps } from '../mfa/deps.ts'
import { hasAuthenticator, verifyFactor } from '../mfa/verify.ts'
import { sourceKey } from '../platform/network/address.ts'
import { getAccount, lockAccount } from '../users/service.ts'
import {
  type HeldRow,
  type Subject,
  approveWaiting,
  countWaiting,
  evictStranger,
  findAsked,
  findWindow,
  hasWindow,
  insertHeld,
  joinHeld,
  leaveHeld,
  lockHeldLogins,
  makeRoom,
  openWindow,
} from './store.ts'
import type { Decision, WaitingLogins } from './waiting.ts'

/** A login whose credential is right. */
export interface FactorLogin {
  readonly tenant: TenantId
  /** Owner of the key; undefined for a password, which names nobody. */
  readonly person: UserId | undefined
  /** SHA-256 of the credential, see {@link credentialHash}. */
  readonly credential: Buffer
  /** Name of the registered key; '' for a password. */
  readonly keyName: string
  /** Address of the client. */
  readonly address: string
  readonly device: DeviceUid
  /** Account on the device. */
  readonly username: string
  /** Hours for which a factor is not asked again. */
  readonly hours: number
}

/** A login that waits, as the client shows it. */
export interface Asked {
  readonly id: string
  readonly code: string
  /** Page of the console. */
  readonly link: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** `open`: a factor was proven meanwhile. */
export type Asking =
  | { readonly outcome: 'open' | 'denied' | 'too-many' }
  | { readonly outcome: 'waiting'; readonly asked: Asked }

export interface SshFactor {
  /** True if the person has proven a factor with this credential from this network within the hours. */
  hasWindow(login: FactorLogin): Promise<boolean>
  /** Account that has proven the factor of the login within the hours. */
  proverOf(login: FactorLogin): Promise<UserId | undefined>
  /** True if the person may type a code of an authenticator. */
  takesCode(person: UserId): Promise<boolean>
  /** True if somebody waits for an approval of the same already. */
  isWaiting(login: FactorLogin): Promise<boolean>
  /**
   * Joins the login that waits for the same, or starts one: the client is counted among those that wait for it, until it
   * withdraws. @param held what the client waits for already
   */
  ask(ctx: TenantContext, login: FactorLogin, held: Asked | undefined): Promise<Asking>
  /** Waits for the decision. @param left the client has left: then `gone` */
  wait(login: FactorLogin, asked: Asked, left: AbortSignal): Promise<Decision | 'too-many'>
  /** The client waits no longer; the last one takes an undecided login with it. */
  withdraw(ctx: TenantContext, login: FactorLogin, asked: Asked): Promise<void>
  /**
   * Checks a code and opens the window. @throws {BowlineError} TOO_MANY_REQUESTS over the budget of guesses
   */
  takeCode(ctx: TenantContext, login: FactorLogin & { readonly person: UserId }, code: string): Promise<boolean>
}

/** Identifies what a client proved. @param parts of which none contains a zero byte, unless it is the last */
export function credentialHash(...parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest()
}

export function createSshFactor(deps: MfaDeps & { readonly waiting: WaitingLogins }): SshFactor {
  const { db, clock, ids, mails, waiting } = deps
  const { heldLogin } = LIMITS
  const subjectOf = ({ tenant, person, credential, address }: FactorLogin): Subject => ({
    tenant,
    person,
    credential,
    source: sourceKey(address),
  })
  const since = ({ hours }: FactorLogin): Date => new Date(clock.now() - hours * 3_600_000)
  const times = () => {
    const now = clock.now()
    return { now: new Date(now), deniedSince: new Date(now - heldLogin.deniedMinutes * 60_000) }
  }
  const notify = (ctx: TenantContext, { person }: FactorLogin): void => {
    if (person !== undefined) ctx.emit({ type: 'held-logins.changed', user: person })
  }

  return {
    hasWindow: (login) => hasWindow(db, subjectOf(login), since(login)),
    proverOf: async (login) => (await findWindow(db, subjectOf(login), since(login)))?.user_id,
    takesCode: (person) => hasAuthenticator(deps, person),
    isWaiting: async (login) => (await findAsked(db, subjectOf(login), times()))?.approved === null,
    async ask(ctx, login, held) {
      const subject = subjectOf(login)
      const { now, deniedSince } = times()
      let isNew = false
      const asking = await db.transaction().execute(async (inner): Promise<Asking> => {
        // In turn with decisions: what was approved a moment ago is seen here, and is not asked for again.
        await lockHeldLogins(inner)
        if (await hasWindow(inner, subject, since(login))) return { outcome: 'open' }
        const found = await findAsked(inner, subject, { now, deniedSince })
        if (found?.approved === false) return { outcome: 'denied' }
        // The last that waited may have left since it was found.
        if (found && (found.id === held?.id || (await joinHeld(inner, found.id)))) {
          return { outcome: 'waiting', asked: toAsked(found) }
        }
        if (!(await hasRoom(inner, subject, now))) return { outcome: 'too-many' }
        const row = {
          id: ids.uuid(),
          code: plainUserCode(newUserCode()),
          expires_at: new Date(now.getTime() + heldLogin.seconds * 1_000),
        }
        await insertHeld(inner, {
          ...row,
          tenant_id: login.tenant,
          user_id: login.person ?? null,
          credential: login.credential,
          key_name: login.keyName,
          source: subject.source,
          address: login.address,
          device_uid: login.device,
          username: login.username,
          created_at: now,
        })
        isNew = true
        return { outcome: 'waiting', asked: toAsked(row) }
      })
      if (isNew) notify(ctx, login)
      return asking
    },
    wait: (login, { id, expiresAt }, left) =>
      waiting.wait({ id, expiresAt, source: sourceKey(login.address), namespace: login.tenant }, left),
    async withdraw(ctx, login, { id }) {
      if (await db.transaction().execute((inner) => leaveHeld(inner, id))) notify(ctx, login)
    },
    async takeCode(ctx, login, code) {
      const account = await getAccount(db, login.person)
      if (!account) return false
      const origin = { source: login.address, userAgent: 'ssh' }
      if (!(await verifyFactor(deps, account, { code }, { scope: 'ssh', origin }))) return false
      const subject = subjectOf(login)
      const passed = await db.transaction().execute(async (inner) => {
        await lockHeldLogins(inner)
        const locked = await lockAccount(inner, login.person)
        if (locked?.tokenEpoch !== account.tokenEpoch) return undefined
        const { tenant: tenant_id, credential, source } = subject
        const now = new Date(clock.now())
        const token_epoch = account.tokenEpoch
        await openWindow(inner, { tenant_id, credential, source, user_id: account.id, token_epoch, opened_at: now })
        return approveWaiting(inner, subject, account.id, now)
      })
      if (!passed) return false
      waiting.wake(passed)
      notify(ctx, login)
      return true
    },
  }

  async function hasRoom(inner: Kysely<Schema>, subject: Subject, now: Date): Promise<boolean> {
    const { ofSource, ofCredential, ofPerson, ofNamespace, ofAll } = await countWaiting(inner, subject, now)
    const { perSource, perCredential, perPerson, perNamespace, total } = heldLogin
    if (ofSource >= perSource || ofNamespace >= perNamespace) return false
    const isOfCredential = ofCredential >= perCredential
    const isFull = isOfCredential || ofPerson >= perPerson
    if (isFull && !(await evictStranger(inner, subject, { isOfCredential, now }))) return false
    return ofAll < total || makeRoom(inner, { ofNamespace, total, now })
  }

  function toAsked({ id, code, expires_at }: Pick<HeldRow, 'id' | 'code' | 'expires_at'>): Asked {
    const shown = shownUserCode(code)
    return { id, code: shown, link: mails.link(`/approve/${shown}`), expiresAt: expires_at.getTime() }
  }
}
