// Mails that somebody asks for by a name: the confirmation again, and the recovery of a password. The call writes a row
// and answers; the name is looked up afterwards, so that neither answer nor time tells whether it has an account.
import { BackgroundLoop } from '@bowline/base/background-loop'
import { LIMITS } from '@bowline/contract/limits'
import type { Kysely } from 'kysely'
import type { Origin } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { hasSignedInFrom, requireLocalSignIn } from '../auth/ways-in.ts'
import { storeToken } from '../users/account-tokens.ts'
import { findAccount } from '../users/service.ts'
import { type RegistrationDeps, resendConfirmation, spendOn } from './service.ts'
import { type MailRequestRow, insertMailRequest, takeMailRequest } from './store.ts'

export interface MailRequests {
  /** @param identifier username or address @throws {BowlineError} LOCAL_SIGN_IN_DISABLED; TOO_MANY_REQUESTS */
  add(kind: MailRequestRow['kind'], identifier: string, origin: Origin): Promise<void>
  /** Looks for requests that another process or an earlier run has left. */
  wake(): void
  stop(): Promise<void>
}

const PER_SOURCE = { name: 'mail requests of a source', limit: LIMITS.registrationsPerSourceAndHour, hours: 1 }
const PER_NAME = { name: 'mail requests of a source for a name', limit: LIMITS.mailRequestsPerNameAndHour, hours: 1 }

export function createMailRequests(deps: RegistrationDeps): MailRequests {
  const { auth } = deps
  const fulfilAll = async (): Promise<void> => {
    try {
      while (await auth.db.transaction().execute((db) => fulfilOne(deps, db)));
    } catch (error) {
      // The row is still there; the next pass tries again.
      auth.log.error('jobs.error', { err: error })
    }
  }
  const loop = new BackgroundLoop(fulfilAll)
  return {
    async add(kind, identifier, origin) {
      await requireLocalSignIn(auth)
      await spendOn(deps, PER_SOURCE, PER_NAME, `${kind} ${identifier}`, origin)
      await insertMailRequest(auth.db, {
        id: auth.ids.uuid(),
        kind,
        identifier: identifier.toLowerCase(),
        source: origin.source,
        created_at: new Date(auth.clock.now()),
      })
      loop.wake()
    },
    wake: () => loop.wake(),
    stop: () => loop.stop(),
  }
}

/** @returns false when nothing is left */
async function fulfilOne(deps: RegistrationDeps, db: Kysely<Schema>): Promise<boolean> {
  const request = await takeMailRequest(db)
  if (!request) return false
  const { kind, identifier, source } = request
  if (kind === 'confirm') await resendConfirmation(deps, db, identifier, source)
  else await sendRecovery(deps, db, identifier, source)
  return true
}

async function sendRecovery(
  { auth, mails }: RegistrationDeps,
  db: Kysely<Schema>,
  identifier: string,
  source: string,
): Promise<void> {
  const account = await findAccount(db, identifier)
  if (account?.status !== 'confirmed' || !account.authMethods.includes('local')) return
  const hours = LIMITS.recoveryHours
  const token = auth.ids.secret(32)
  const values = { name: account.name, link: mails.link('/update-password', { id: account.id, token }), hours }
  // The owner still gets one when strangers have used up what they may ask for.
  const group = (await hasSignedInFrom(db, account.id, source)) ? 'own-recover' : 'recover'
  const isWritten = await mails.add(db, { kind: 'recover', to: account.email, user: account.id, source, values, group })
  if (isWritten) await storeToken(db, auth.clock, account, { purpose: 'recovery', hours, token })
}
