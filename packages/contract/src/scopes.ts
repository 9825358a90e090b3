// Scopes of API keys: the areas of the API that a key is limited to, beside its role.
import type { Operation } from './operation.ts'

/** Area → the nouns whose calls belong to it. Some calls of devices and sessions belong to other areas, see {@link OTHERS}. */
const NOUNS = {
  devices: ['devices', 'containers', 'presence', 'incidents', 'health', 'stats'],
  tags: ['tags', 'tag-rules'],
  enrollment: ['install-keys', 'pairings'],
  'agent-updates': ['agent-updates'],
  connectors: ['connectors'],
  tunnels: ['tunnels'],
  terminals: ['terminals'],
  sessions: ['sessions'],
  recordings: ['recordings'],
  'public-keys': ['public-keys'],
  firewall: ['firewall'],
  alerts: ['alerts'],
  audit: ['audit'],
  namespace: ['namespaces', 'members', 'users', 'api-keys'],
  billing: ['billing'],
} as const

export type Area = keyof typeof NOUNS

/** The scopes that a key may have; `write` includes `read`. Terminals can be opened only. */
export const SCOPES = [
  'devices:read',
  'devices:write',
  'tags:read',
  'tags:write',
  'enrollment:read',
  'enrollment:write',
  'agent-updates:read',
  'agent-updates:write',
  'connectors:read',
  'connectors:write',
  'tunnels:read',
  'tunnels:write',
  'terminals:write',
  'sessions:read',
  'sessions:write',
  'recordings:read',
  'recordings:write',
  'public-keys:read',
  'public-keys:write',
  'firewall:read',
  'firewall:write',
  'alerts:read',
  'alerts:write',
  'audit:read',
  'audit:write',
  'namespace:read',
  'namespace:write',
  'billing:read',
  'billing:write',
] as const satisfies readonly `${Area}:${'read' | 'write'}`[]

export type Scope = (typeof SCOPES)[number]

const AREA_OF_NOUN: ReadonlyMap<string, Area> = new Map(
  (Object.keys(NOUNS) as Area[]).flatMap((area) => NOUNS[area].map((noun) => [noun, area] as const)),
)

/**
 * Calls about a device or a session that are another area: what a recording has was typed, a tag decides who gets in, and so
 * does acceptance.
 */
const OTHERS: readonly (readonly [RegExp, Area])[] = [
  [/^\/api\/sessions\/\{uid\}\/records/, 'recordings'],
  [/^\/api\/(devices|containers)\/\{uid\}\/tags/, 'tags'],
  [/^\/api\/(devices|containers)\/\{uid\}\/(\{status\}|accept\/undo)$/, 'enrollment'],
]

/** POST calls that compute an answer and change nothing. */
const READING = /\/(evaluate|dry-run|describe)$|^\/api\/sshkeys\/public-keys\/devices$/

/**
 * The scope that a limited key needs for a call; undefined for calls of no area, which such a key never may.
 * @param operation of a call that API keys may make
 */
export function scopeOf({ method, noun, path }: Pick<Operation, 'method' | 'noun' | 'path'>): Scope | undefined {
  const area = OTHERS.find(([pattern]) => pattern.test(path))?.[1] ?? AREA_OF_NOUN.get(noun)
  const reads = method === 'GET' || READING.test(path)
  return SCOPES.find((scope) => scope === `${area}:${reads ? 'read' : 'write'}`)
}

/** Whether a key with these scopes may make a call that needs `needed`. */
export function scopesAllow(scopes: readonly string[], needed: Scope | undefined): boolean {
  if (needed === undefined) return false
  return scopes.includes(needed) || scopes.includes(needed.replace(/:read$/, ':write'))
}
