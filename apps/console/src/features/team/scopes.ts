// Scopes of API keys as people read and choose them.
import { SCOPES, type Scope } from '@bowline/contract/scopes'
import { teamMessages as texts } from './messages.ts'

const LABELS: ReadonlyMap<string, string> = new Map(Object.entries(texts.scopes))

/** Names of scopes; those that this console does not know as the server wrote them. */
export function scopeNames(scopes: readonly string[]): string[] {
  return scopes.map((scope) => LABELS.get(scope) ?? scope)
}

export function knownScopes(scopes: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope))
}

/** Options of the field: reading an area is no choice beside changing it, which includes it. */
export function scopeChoices(chosen: readonly Scope[]): { value: Scope; label: string }[] {
  return SCOPES.filter((scope) => !isIncluded(scope, chosen)).map((scope) => ({
    value: scope,
    label: texts.scopes[scope],
  }))
}

/** The scopes after a choice, in the order of the areas. */
export function scopesAfter(before: readonly Scope[], next: readonly string[]): Scope[] {
  const chosen = knownScopes(next)
  const isNew = chosen.length > before.length
  return isNew ? chosen.filter((scope) => !isIncluded(scope, chosen)) : chosen
}

function isIncluded(scope: Scope, chosen: readonly string[]): boolean {
  return scope.endsWith(':read') && chosen.includes(scope.replace(/:read$/, ':write'))
}
