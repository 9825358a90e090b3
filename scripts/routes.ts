// The route matrix: the status of each call of the contract for each kind of credential.
//   npm run routes                writes apps/server/ROUTES.md
//   npm run routes -- --check     only checks whether the file is fresh
//   npm run routes -- --test      tries every call with every credential on a running server and prints the same table
//                                 with the responses; exits with 1 when a response differs
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import {
  CALLERS,
  type Caller,
  type MatrixEdition,
  expectedStatus,
  isTriedIn,
} from '../apps/server/src/testing/matrix.ts'
import { ERRORS } from '../packages/contract/src/errors.ts'
import { errorCodesOf } from '../packages/contract/src/openapi.ts'
import type { Operation } from '../packages/contract/src/operation.ts'
import { allOperations } from '../packages/contract/src/operations.ts'
import { PERMISSIONS, ROLES } from '../packages/contract/src/roles.ts'

const root = resolve(import.meta.dirname, '..')
const file = join(root, 'apps/server/ROUTES.md')

const SHORT: Readonly<Record<string, string>> = {
  anonymous: 'none',
  'unknown API key': 'key?',
  'expired token': 'expired',
  'forged token, alg none': 'alg none',
  'forged token, HS256 with the public key': 'HS256',
  'device token': 'device',
  'removed member': 'removed',
  'pending member': 'pending',
  'pending member without a namespace': 'no ns',
  'administrator of the server': 'admin',
  'owner of another tenant': 'foreign',
  'API key of another tenant': 'foreign key',
  ...Object.fromEntries(ROLES.map((role) => [`API key: ${role}`, `key ${role}`])),
}

const Tried = z.array(
  z.object({ id: z.string(), path: z.string(), edition: z.string(), caller: z.string(), status: z.number() }),
)
type Tried = z.infer<typeof Tried>

const rows = allOperations().flatMap(({ id, operation }) =>
  [operation.path, ...(operation.aliases ?? [])].map((path) => ({ id, operation, path })),
)

if (process.argv.includes('--test')) {
  const tried = runMatrix()
  const { text, wrong } = tested(tried)
  console.log(text)
  process.exit(wrong ? 1 : 0)
}
const wanted = page(table((row) => CALLERS.map((caller) => expected(row.id, row.operation, caller))))
if (process.argv.includes('--check')) {
  const fresh = existsSync(file) && readFileSync(file, 'utf8') === wanted
  if (!fresh) console.error(`${file} is stale: run npm run routes`)
  process.exit(fresh ? 0 : 1)
}
writeFileSync(file, wanted)

function page(lines: readonly string[]): string {
  return [
    '# Routes',
    '',
    'Generated from the contract by `npm run routes`; `http/matrix.test.ts` holds every cell against a running server, and',
    '`npm run routes -- --test` prints what was answered. A cell is the status for a fitting input; `404 · 200` is that of',
    'the community and of the cloud edition. Columns: no credential, unknown API key, expired token, forged tokens (`alg`',
    'none; HS256 with the public key), device token, removed and pending member, user without a namespace, administrator of',
    'the server, owner and API key of another namespace, then members and API keys by role.',
    '',
    ...lines,
    '',
  ].join('\n')
}

function table(cells: (row: (typeof rows)[number]) => readonly string[], more: readonly string[] = []): string[] {
  const headings = ['call', 'access', 'statuses', ...CALLERS.map(({ name }) => SHORT[name] ?? name), ...more]
  const line = (parts: readonly string[]): string => `| ${parts.join(' | ')} |`
  const body = rows.map((row) =>
    line([`\`${row.operation.method} ${row.path}\``, access(row.operation), statuses(row.operation), ...cells(row)]),
  )
  return [line(headings), line(headings.map(() => '---')), ...body]
}

function access({ access, cloudOnly }: Operation): string {
  const words: string[] = [access.kind]
  if (access.kind === 'member') {
    words[0] = access.permission ? PERMISSIONS[access.permission][0] : 'member'
    if (access.keys) words.push('key')
  }
  if (cloudOnly) words.push('cloud')
  return words.join(', ')
}

/** Every status that the contract declares for the call. */
function statuses(operation: Operation): string {
  const failures = errorCodesOf(operation).map((code) => ERRORS[code].status)
  return [...new Set([operation.status ?? 200, ...failures])].toSorted((a, b) => a - b).join(' ')
}

function expected(id: string, operation: Operation, caller: Caller): string {
  const status = (edition: MatrixEdition): number => expectedStatus(id, operation, caller, edition)
  const [community, cloud] = [status('community'), isTriedIn('cloud', operation) ? status('cloud') : undefined]
  return cloud === undefined || cloud === community ? String(community) : `${community} · ${cloud}`
}

/** Runs the test that tries everything. @returns every response */
function runMatrix(): Tried {
  const scratch = mkdtempSync(join(tmpdir(), 'bowline-routes-'))
  const answers = join(scratch, 'tried.json')
  const command = ['vitest', 'run', '--project', 'server', 'apps/server/src/http/matrix.test.ts', '--reporter=dot']
  try {
    spawnSync(process.execPath, [join(root, 'scripts/run.js'), ...command], {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env: { ...process.env, E2E_ALL: 'true', ROUTE_MATRIX_FILE: answers },
    })
    return Tried.parse(JSON.parse(readFileSync(answers, 'utf8')))
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

/** The table of the responses, with a last column that tells whether all of them are as expected. */
function tested(tried: Tried): { text: string; wrong: number } {
  let wrong = 0
  const lines = table(
    ({ id, operation, path }) => {
      const own = tried.filter((one) => one.id === id && one.path === path)
      const cells = CALLERS.map((caller) => {
        const got = [...new Set(own.filter((one) => one.caller === caller.name).map(({ status }) => status))]
        return got.join(' · ') || '–'
      })
      const bad = cells.filter((cell, i) => CALLERS[i] && cell !== expected(id, operation, CALLERS[i])).length
      wrong += bad
      return [...cells, bad ? `**${bad} wrong**` : `ok (${own.length})`]
    },
    ['test'],
  )
  return { text: [...lines, '', `${rows.length} paths, ${tried.length} calls, ${wrong} wrong cells`].join('\n'), wrong }
}
