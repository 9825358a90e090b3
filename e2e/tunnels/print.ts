// `npm run tunnels`: runs the whole board of the HTTP tunnels, prints it and writes it as data for the docs; `npm run
// tunnels -- gRPC` runs the rows with that word, and writes nothing.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../support/product.ts'
import { within } from '../support/wait.ts'
import { type Verdict, compareRow } from './board.ts'
import { type Row, SERVICES, type ServiceName } from './row.ts'
import { rows } from './rows.ts'
import { type Sites, startSites } from './world.ts'

const DATA = join(root, 'apps/docs/data/tunnels.json')
const ROW_MS = 30_000

type Result = Verdict | { readonly is: 'failed'; readonly error: string }

const print = (line: string): unknown => process.stdout.write(`${line}\n`)

const word = (process.argv[2] ?? '').toLowerCase()
const titled = rows.map((row) => ({ row, title: `${row.service}, client of ${row.client}: ${row.feature}` }))
const chosen = titled.filter(({ title }) => title.toLowerCase().includes(word))
await using sites = await startSites(SERVICES.filter((name) => chosen.some(({ row }) => row.service === name)))
const board: { service: ServiceName; client: string; feature: string; why: string }[] = []
let failures = 0
for (const { row, title } of chosen) {
  const result = await resultOf(row, sites)
  const { service, client, feature } = row
  if (result.is === 'failed' || result.is === 'different') failures += 1
  else board.push({ service, client, feature, why: result.is === 'explained' ? result.why : '' })
  print(`${result.is.padEnd(10)}${title}`)
  if (result.is !== 'equal') print(`          ${JSON.stringify(result)}`)
}
print(`${board.length} of ${chosen.length} rows do through a tunnel what they do directly, or what the board explains.`)
if (word === '' && failures === 0) {
  await writeFile(DATA, `${JSON.stringify({ versions: versions(), rows: board }, undefined, 2)}\n`)
  print(`Written to ${DATA.slice(root.length + 1)}`)
}
process.exitCode = failures === 0 ? 0 : 1

function resultOf(row: Row, sites: Sites): Promise<Result> {
  return within(ROW_MS, row.feature, compareRow(row, sites)).catch((error: unknown) => ({
    is: 'failed',
    error: error instanceof Error ? error.message : String(error),
  }))
}

function versions(): Record<ServiceName, string> {
  // nginx prints its version to stderr.
  const nginx = execFileSync('sh', ['-c', '/usr/sbin/nginx -v 2>&1'], { encoding: 'utf8' }).trim().split('/').at(-1)
  const versionOf = (name: string): string => {
    const manifest = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')
    return `${name} ${(JSON.parse(manifest) as { version: string }).version}`
  }
  const node = process.versions.node
  return {
    nginx: nginx ?? '',
    'Node HTTP/1.1': node,
    'Node HTTP/2': node,
    gRPC: versionOf('@grpc/grpc-js'),
    WebSocket: versionOf('ws'),
  }
}
