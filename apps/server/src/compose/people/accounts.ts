// Accounts of people: mail, sign-in and registration, with the settings of the server.
import type { TenantId } from '@bowline/contract/schemas/common'
import { registrationMode } from '@bowline/contract/settings/registration'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import { createPasswordHasher } from '../../auth/password-hashes/passwords.ts'
import type { AuthDeps } from '../../auth/service.ts'
import type { TokenIssuer } from '../../auth/tokens.ts'
import type { ServerConfig } from '../../config.ts'
import type { TenantContext } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import type { InstanceKeys } from '../../instance/keys.ts'
import type { MailQueue } from '../../mails/queue.ts'
import type { MfaDeps } from '../../mfa/deps.ts'
import { listSecondSteps } from '../../mfa/service.ts'
import { sendsMail } from '../../mails/sending.ts'
import { type Mails, startMails } from '../../mails/start.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { type MailRequests, createMailRequests } from '../../registration/mail-requests.ts'
import { type RegistrationDeps, pendingPassword } from '../../registration/service.ts'
import { linkProposed } from '../../single-sign-on/identities/linking.ts'
import { isLocalSignInOn } from '../../single-sign-on/settings.ts'
import { egressRules } from '../budgets.ts'
import { joinsAtSignIn } from './single-sign-on.ts'

interface AccountParts {
  readonly config: ServerConfig
  readonly system: Kysely<Schema>
  readonly node: string
  readonly clock: Clock
  readonly log: Log
  readonly ids: Ids
  readonly keys: InstanceKeys
  readonly tokens: TokenIssuer
  /** Context of any namespace, for the roles of a person who has linked an identity. */
  readonly contextOf: (tenant: TenantId) => TenantContext
  /** For links; it has the port that the server listens on, once it does. */
  readonly consoleOrigin: () => string
  readonly onEnd: (ending: () => Promise<void>) => void
}

export interface Accounts {
  readonly mail: Mails
  readonly auth: AuthDeps
  readonly registration: RegistrationDeps
  readonly mailRequests: MailRequests
}

/** Starts to send mails, and composes what signs people in and registers them. */
export async function startAccounts(accountParts: AccountParts): Promise<Accounts> {
  const { config, keys, tokens, node, contextOf, consoleOrigin, onEnd, ...parts } = accountParts
  const { settings, isExemptSource } = config
  const { system, clock, log, ids } = parts
  const mail = await startMails({
    ...parts,
    node,
    secretKey: config.secretKey,
    smtp: config.smtp,
    origin: consoleOrigin,
    templates: settings.BOWLINE_MAIL_TEMPLATES,
    texts: config.mailTexts,
    egress: egressRules(settings, log),
    isSending: sendsMail(settings),
    onEnd,
  })
  const linking = { db: system, clock, mails: mail.queue, contextOf, joins: joinsAtSignIn(settings) }
  const auth: AuthDeps = {
    db: system,
    clock,
    log,
    ids,
    passwords: await createPasswordHasher(),
    tokens,
    maximumLockoutMinutes: settings.BOWLINE_MAXIMUM_ACCOUNT_LOCKOUT,
    refreshSecret: keys.derive('refresh tokens'),
    mails: mail.queue,
    pendingPassword: (username) => pendingPassword(system, clock, username),
    isLocalSignInOn: () => isLocalSignInOn(system),
    secondSteps: (user) => listSecondSteps(system, user),
    linkProposed: (proposal, account, origin) => linkProposed(linking, proposal, account, origin),
  }
  const registration = { auth, mails: mail.queue, mode: registrationMode(settings), isExemptSource }
  const mailRequests = createMailRequests(registration)
  onEnd(() => mailRequests.stop())
  return { mail, auth, registration, mailRequests }
}

/** Dependencies of the second factor, in sign-ins and on the ssh path. */
export function mfaDeps({
  config,
  keys,
  auth,
  mails,
}: {
  readonly config: ServerConfig
  readonly keys: InstanceKeys
  readonly auth: AuthDeps
  readonly mails: MailQueue
}): MfaDeps {
  return {
    ...auth,
    secretKey: config.secretKey,
    codeKey: keys.derive('codes of the second factor'),
    mails,
    edition: config.settings.BOWLINE_EDITION,
    isExemptSource: config.isExemptSource,
  }
}
