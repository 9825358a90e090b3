// Part of `npm run check`: how the repository is laid out. Folders stay small and depend on each other in one direction,
// a table is written by its owner alone, and comments and documents cite only files that are here.
import { readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { dirname, join, normalize, relative } from 'node:path'
import { missingCitations } from './citations.js'
import { root } from './project-node.js'

const MAX_FILES = 25
/** Lists of data, one file for each entry. */
const DATA = /^(docs-media|apps\/docs\/(content|static|data)|apps\/server\/src\/db\/migrations)(\/|$)/
/** Folders whose named subfolders depend on each other in one direction. What lies in the folder itself is above and below. */
const ONE_WAY = [
  'apps/server/src',
  'apps/server/src/gateway',
  'apps/server/src/recordings',
  'apps/agent/src',
  'apps/console/src/features',
  'apps/console/src/features/devices',
  'apps/console/src/features/player',
  'apps/console/src/features/terminal',
  'packages/link/src',
]
/** Above everything else of the server: they may import all of it. */
const TOP = new Set([
  'apps/server/src/compose',
  'apps/server/src/jobs',
  'apps/server/src/cli',
  'apps/server/src/testing',
])
const TESTS = /\.test\.tsx?$|(^|\/)(testing[^/]*|test)(\/|\.ts$)/

/** Folder that owns each table, and who else writes it. Everybody may read in a file called store. */
const OWNERS = {
  login_keys: ['auth'],
  user_authorities: ['auth'],
  key_logins_under_way: ['auth'],
  api_keys: ['api-keys'],
  public_keys: ['public-keys'],
  firewall_rules: ['firewall'],
  access_requests: ['access-requests'],
  // A device that is replaced hands its tunnels, sessions and engine to its successor in one transaction.
  tunnels: ['tunnels', 'devices'],
  sessions: ['sessions', 'devices'],
  connectors: ['connectors', 'devices'],
  removed_devices: ['devices'],
  announcements: ['announcements'],
  announcement_reads: ['announcements'],
  // An invitation makes the account of somebody new.
  users: ['users', 'members'],
  // A subscription sets the limit of devices.
  namespaces: ['namespaces', 'billing'],
  // A namespace begins with its owner.
  members: ['members', 'namespaces'],
  limit_defaults: ['namespaces'],
  namespace_limits: ['namespaces'],
  provided_members: ['members'],
  // Tags, which rules give too, are lists on devices; what a subscription no longer covers becomes pending.
  devices: ['devices', 'tags', 'tag-rules', 'billing'],
  presence_spans: ['presence'],
  device_health: ['device-health'],
  device_health_points: ['device-health'],
  shared_snippets: ['snippets'],
  alert_states: ['alerts'],
  alert_rules: ['alerts'],
  alert_deliveries: ['alerts'],
  audit_streams: ['audit-streams'],
  session_events: ['sessions'],
  recordings: ['recordings'],
  recording_ledger: ['recordings'],
  recording_passages: ['recordings'],
  removed_recordings: ['recordings'],
  audit_log: ['audit'],
  instance: ['instance'],
  instance_keys: ['instance'],
  login_attempts: ['auth'],
  dropped_guesses: ['sessions'],
  repeated_refusals: ['sessions'],
  known_sources: ['auth'],
  ended_logins: ['auth'],
  account_events: ['users', 'auth'],
  access_changes: ['auth'],
  refresh_tokens: ['auth'],
  mails: ['mails'],
  mail_counts: ['mails'],
  acme_accounts: ['certificates'],
  acme_certificates: ['certificates'],
  acme_challenges: ['certificates'],
  registrations: ['registration'],
  mail_requests: ['registration'],
  account_tokens: ['users'],
  recovery_tokens: ['users'],
  budgets: ['budgets'],
  authenticators: ['mfa'],
  issued_secrets: ['mfa'],
  recovery_codes: ['mfa'],
  factor_resets: ['mfa'],
  factor_guesses: ['mfa'],
  // A reset of the second factor removes all factors.
  passkeys: ['passkeys', 'mfa'],
  used_challenges: ['passkeys'],
  billing_accounts: ['billing'],
  billing_events: ['billing'],
  billing_differences: ['billing'],
  billing_endings: ['billing'],
  billing_reconciliations: ['billing'],
  pending_sign_ins: ['auth'],
  fresh_proofs: ['auth'],
  sign_ins: ['auth'],
  provider_sessions: ['auth'],
  known_devices: ['auth'],
  held_logins: ['held-logins'],
  factor_windows: ['held-logins', 'auth'],
  program_codes: ['auth'],
  program_code_guesses: ['auth'],
  sign_in_settings: ['single-sign-on'],
  saml_keys: ['single-sign-on'],
  openid_providers: ['single-sign-on'],
  provider_requests: ['single-sign-on'],
  used_assertions: ['single-sign-on'],
  identities: ['single-sign-on'],
  identity_proposals: ['single-sign-on'],
  group_roles: ['single-sign-on'],
  exchange_tokens: ['single-sign-on'],
  certificate_warnings: ['certificates'],
  scim_settings: ['scim'],
  scim_roles: ['scim'],
  scim_tokens: ['scim'],
  scim_people: ['scim'],
  scim_groups: ['scim'],
  scim_group_people: ['scim'],
  scim_requests: ['scim'],
  nodes: ['nodes'],
  node_messages: ['nodes'],
  job_leases: ['nodes'],
  terminal_tickets: ['terminals'],
}

/** @returns {boolean} whether the layout is as it should be, and planted faults were found */
export function structureIsSound() {
  const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' }).split(
    '\n',
  )
  const files = new Map()
  for (const path of paths) {
    if (path === '') continue
    const isText = /\.(tsx?|js|cjs|css|mdx?)$/.test(path)
    try {
      files.set(path, isText ? readFileSync(join(root, path), 'utf8') : '')
    } catch (error) {
      // Deleted, and not committed yet.
      if (error.code !== 'ENOENT') throw error
    }
  }
  const missed = plantedAreMissed(files)
  for (const name of missed) console.log(`the check did not see the planted ${name}`)
  const problems = findProblems(files)
  for (const problem of problems) console.log(problem)
  return missed.length === 0 && problems.length === 0
}

/** @param {Map<string, string>} files text by path @returns {string[]} a sentence for each problem */
function findProblems(files) {
  return [...largeFolders(files), ...folderCycles(files), ...foreignTables(files), ...missingCitations(files)]
}

function largeFolders(files) {
  const counts = new Map()
  for (const path of files.keys()) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts]
    .filter(([folder, count]) => count > MAX_FILES && !DATA.test(folder))
    .map(([folder, count]) => `${folder}: ${count} files; at most ${MAX_FILES} are easy to look through`)
}

function folderCycles(files) {
  return ONE_WAY.flatMap((parent) => {
    const edges = folderEdges(files, parent)
    return [...edges.keys()]
      .flatMap((from) => {
        const way = wayBack(edges, from)
        return way ? [`${parent}: folders depend on each other in a circle: ${way.join(' → ')}`] : []
      })
      .slice(0, 1)
  })
}

/** Which subfolders of a folder import which, and by what. */
function folderEdges(files, parent) {
  const edges = new Map()
  const folderOf = (path) => {
    const [first, ...rest] = relative(parent, path).split('/')
    return path.startsWith(`${parent}/`) && rest.length > 0 && !TOP.has(`${parent}/${first}`) ? first : undefined
  }
  for (const [path, text] of files) {
    const from = folderOf(path)
    if (from === undefined || TESTS.test(path)) continue
    for (const [, specifier] of text.matchAll(/(?: from |\bimport\()'(\.[^']+)'/g)) {
      const to = folderOf(normalize(join(dirname(path), specifier)))
      if (to === undefined || to === from) continue
      edges.set(from, (edges.get(from) ?? new Set()).add(to))
    }
  }
  return edges
}

/** A shortest way from a folder to itself. */
function wayBack(edges, start) {
  const ways = [[start]]
  const seen = new Set()
  for (const way of ways) {
    for (const to of edges.get(way.at(-1)) ?? []) {
      if (to === start) return [...way, start]
      if (!seen.has(to)) ways.push([...way, to])
      seen.add(to)
    }
  }
  return undefined
}

function foreignTables(files) {
  const problems = []
  for (const [path, text] of files) {
    const [, noun, file] = /^apps\/server\/src\/([^/]+)\/(.+)\.ts$/.exec(path) ?? []
    if (noun === undefined || noun === 'db' || TOP.has(`apps/server/src/${noun}`) || TESTS.test(path)) continue
    for (const table of Object.keys(OWNERS)) {
      const reads = new RegExp(`(selectFrom|innerJoin|leftJoin)\\('${table}[ ']`).test(text)
      const writes = new RegExp(
        `(updateTable|insertInto|deleteFrom)\\('${table}'|\\b(update|insert into|delete from) ${table} `,
      ).test(text)
      if ((reads || writes) && !file.endsWith('store')) problems.push(`${path}: SQL of ${table} belongs into a store`)
      if (writes && !OWNERS[table].includes(noun))
        problems.push(`${path}: ${table} is written by ${OWNERS[table].join(' and ')} only`)
    }
  }
  return problems
}

/** Plants one fault of each kind. @returns {string[]} those that were not found */
function plantedAreMissed(files) {
  const server = 'apps/server/src'
  const pages = 'apps/console/src/features'
  const plants = {
    folder: Object.fromEntries(Array.from({ length: MAX_FILES + 1 }, (_, index) => [`planted/${index}.ts`, ''])),
    circle: {
      [`${server}/planted-a/a.ts`]: "import { b } from '../planted-b/b.ts'\n",
      [`${server}/planted-b/b.ts`]: "import { a } from '../planted-a/a.ts'\n",
    },
    'circle of pages': {
      [`${pages}/planted-a/a.tsx`]: "import { b } from '../planted-b/b.ts'\n",
      [`${pages}/planted-b/b.ts`]: "const load = () => import('../planted-a/a.tsx')\n",
    },
    query: { [`${server}/planted/service.ts`]: "db.selectFrom('devices')\n" },
    write: { [`${server}/planted/store.ts`]: "db.deleteFrom('devices')\n" },
    citation: { [`${server}/planted/a.ts`]: '// As planted.md says.\n' },
    'path in a comment': { [`${server}/planted/a.ts`]: '/** As planted/{a,b}.ts has it. */\n' },
    'path in a document': { 'planted/README.md': 'The rest is in `planted/b.ts`.\n' },
  }
  const before = findProblems(files).length
  return Object.entries(plants).flatMap(([name, planted]) =>
    findProblems(new Map([...files, ...Object.entries(planted)])).length > before ? [] : [name],
  )
}
