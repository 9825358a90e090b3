// Asks for the fresh proof that the contract's table demands of an operation, before its handler runs.
import { type Asks, asksOf } from '@bowline/contract/proofs/proofs'
import { requireFreshProof } from '../../auth/fresh-proofs.ts'
import { requireRecentProof } from '../../auth/ownership.ts'
import type { AuthDeps } from '../../auth/service.ts'
import type { Actor, TenantContext } from '../../context.ts'
import type { MemberContext, Route, UserContext } from '../../http/route.ts'
import { asksForFactor } from '../../namespaces/service.ts'

/** Refuse callers without the proof. API keys pass: making one takes a proof. @throws {BowlineError} FRESH_PROOF_REQUIRED */
export interface ProofChecks {
  /** In a namespace whose logins need a second factor: of that, or of the password without one. */
  readonly access: (ctx: TenantContext) => Promise<void>
  /** Of people who have a second factor. */
  readonly own: (actor: Actor) => Promise<void>
  /** Both of them. */
  readonly factor: (ctx: TenantContext) => Promise<void>
  /** Of the second factor, or of the password without one. */
  readonly everybody: (actor: Actor) => Promise<void>
}

export function createProofChecks(auth: AuthDeps): ProofChecks {
  const own = async (actor: Actor): Promise<void> => {
    if (actor.kind === 'user') await requireFreshProof(auth, actor)
  }
  const everybody = async (actor: Actor): Promise<void> => {
    if (actor.kind === 'user') await requireRecentProof(auth, actor)
  }
  /** Access to a namespace decides what a second factor on the ssh path is worth. */
  const access = async (ctx: TenantContext): Promise<void> => {
    if (ctx.actor.kind === 'user' && (await asksForFactor(ctx))) await everybody(ctx.actor)
  }
  const factor = async (ctx: TenantContext): Promise<void> => {
    await own(ctx.actor)
    await access(ctx)
  }
  return { access, own, factor, everybody }
}

/** Routes that ask first. @throws {Error} for an operation that the table does not name */
export function withProofs(routes: readonly Route[], checks: ProofChecks): Route[] {
  return routes.map((route) => {
    const asks = asksOf(route.operation)
    if (asks === 'nobody' || asks === 'handler') return route
    const handle = async (context: never, input: never): Promise<unknown> => {
      await demand(asks, context, checks)
      return route.handle(context, input)
    }
    return { ...route, handle }
  })
}

async function demand(
  asks: Exclude<Asks, 'nobody' | 'handler'>,
  context: UserContext | MemberContext,
  checks: ProofChecks,
): Promise<void> {
  if (asks === 'everybody') return checks.everybody(context.actor)
  if (asks === 'factor') await checks.own(context.actor)
  if ('tenant' in context) await checks.access(context)
}
