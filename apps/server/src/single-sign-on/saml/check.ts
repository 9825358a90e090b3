// The tester: what an answer of the identity provider would do and why, without signing anybody in. It ignores whether
// the request is known and whether the assertion was used, because a pasted answer has usually been both.
import type { singleSignOn } from '@bowline/contract/operations/single-sign-on'
import type { Output } from '@bowline/contract/operation'
import { planRoles } from '../../members/provided.ts'
import { getNamespace } from '../../namespaces/service.ts'
import { type ProvenIdentity, type Effect, effectOf } from '../accounts.ts'
import type { SingleSignOnDeps } from '../deps.ts'
import { rolesOfGroups } from '../group-roles.ts'
import { findSettings } from '../store.ts'
import { claimedRequest, hasGroups, identityOf, readAnswer } from './service.ts'
import { XmlRefused } from './xml-tree.ts'

type Verdict = Output<typeof singleSignOn.check>

const NOTHING: Verdict = {
  accepted: false,
  reason: '',
  subject: '',
  email: '',
  name: '',
  missing: [],
  attributes: [],
  effect: 'none',
  groups: 'none',
  roles: [],
}

const REFUSALS = {
  account: 'the account is not confirmed, or is disabled',
  address: 'the provider does not vouch for the address',
} as const

/**
 * @param field the form field SAMLResponse, or the XML itself
 * @param source address of the caller
 * @throws {BowlineError} TOO_MANY_REQUESTS
 */
export async function checkAnswer(deps: SingleSignOnDeps, field: string, source: string): Promise<Verdict> {
  const settings = await findSettings(deps.db)
  if (settings.entity_id === '') return { ...NOTHING, reason: 'no identity provider is set up' }
  const message = field.trim().startsWith('<') ? Buffer.from(field.trim()).toString('base64') : field
  try {
    const expected = { field: message, inResponseTo: claimedRequest(message), source }
    const person = await readAnswer(deps, settings, expected)
    const attributes = [...person.attributes].map(([name, values]) => ({ name, values: [...values] }))
    const identity = identityOf(settings, person)
    const seen = { ...NOTHING, subject: person.nameId, attributes }
    if ('missing' in identity) {
      const reason = `it lacks attributes that the mappings name: ${identity.missing.join(', ')}`
      return { ...seen, reason, missing: [...identity.missing] }
    }
    const effect = await effectOf(deps.db, identity)
    const { kind } = effect
    const { email, name } = identity
    return {
      ...seen,
      accepted: kind !== 'refuse',
      reason: effect.kind === 'refuse' ? REFUSALS[effect.why] : '',
      email,
      name,
      effect: kind,
      groups: identity.groups === undefined ? 'too-many' : hasGroups(settings, person) ? 'named' : 'none',
      roles: await rolesOf(deps, identity, effect),
    }
  } catch (error) {
    if (!(error instanceof XmlRefused)) throw error
    return { ...NOTHING, reason: error.message }
  }
}

async function rolesOf(
  { db, joins }: SingleSignOnDeps,
  { provider, groups }: ProvenIdentity,
  effect: Effect,
): Promise<Verdict['roles']> {
  // Nothing follows from groups that cannot be read.
  if (effect.kind === 'refuse' || !joins || groups === undefined) return []
  const user = effect.kind === 'create' ? effect.invited?.id : effect.account.id
  const planned = await planRoles(db, user, await rolesOfGroups(db, provider, groups))
  return Promise.all(
    planned.map(async ({ tenant, role, outcome }) => {
      const { name: namespace } = await getNamespace(db, tenant)
      return { namespace, role: role ?? ('' as const), outcome }
    }),
  )
}
