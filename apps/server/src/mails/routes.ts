// Routes of mail, for administrators of the instance.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import type { UserActor } from '../context.ts'
import { type Route, instanceAdminRoute } from '../http/route.ts'
import { type MailDeps, describeSettings, list, previews, resend, revealLink, sendTest } from './service.ts'

export interface MailRouteDeps extends MailDeps {
  /** Budget of test mails per person: each dials a server that the caller names. */
  readonly tests: RateLimiter
  /** @throws {BowlineError} FRESH_PROOF_REQUIRED */
  readonly requireFreshProof: (actor: UserActor) => Promise<void>
}

export function mailRoutes({ tests, requireFreshProof, ...deps }: MailRouteDeps): Route[] {
  const { mails } = operations
  const outbox = { ...deps, hasMailServer: deps.smtp !== undefined }
  return [
    instanceAdminRoute(mails.list, (_, { query }) => list(outbox, query)),
    instanceAdminRoute(mails.link, async ({ actor, log }, { params }) => {
      const link = await revealLink(outbox, params.id)
      log.info('mail.link-shown', { by: actor.username, mail: params.id })
      return { link }
    }),
    instanceAdminRoute(mails.resend, (_, { params }) => resend(deps, params.id)),
    instanceAdminRoute(mails.settings, () => Promise.resolve(describeSettings(deps))),
    instanceAdminRoute(mails.test, async ({ actor, log }, { body }) => {
      if (!tests.take(actor.id)) fail('TOO_MANY_REQUESTS', { seconds: 10 })
      await requireFreshProof(actor)
      const answer = await sendTest(deps, body)
      log.info('mail.tested', { by: actor.username, outcome: answer.outcome, reply: answer.code })
      return answer
    }),
    instanceAdminRoute(mails.templates, () => Promise.resolve(previews(deps))),
  ]
}
