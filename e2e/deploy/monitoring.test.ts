// Alert rules and dashboard: what they ask for is what a running server exports, promtool takes the rules and runs their
// tests, and each alert has its section of the runbooks.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scriptOf } from '../release/page.ts'
import { cleanups } from '../support/cleanup.ts'
import { root } from '../support/product.ts'
import { startServer } from '../support/server.ts'

const PROMTOOL = '/usr/bin/promtool'
const folder = join(root, 'deploy/prometheus')
const rules = readFileSync(join(folder, 'rules.yaml'), 'utf8')
const tests = readFileSync(join(folder, 'rules.test.yaml'), 'utf8')
const dashboard = readFileSync(join(root, 'deploy/grafana/bowline.json'), 'utf8')
const page = (name: string): string => readFileSync(join(root, 'apps/docs/content/self-hosted', name), 'utf8')
const alerts = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name)
/** A store that is away has metrics all the same. */
const STORE = {
  BOWLINE_S3_ENDPOINT: 'http://127.0.0.1:1',
  BOWLINE_S3_BUCKET: 'recordings',
  BOWLINE_S3_ACCESS_KEY_ID: 'k',
  BOWLINE_S3_SECRET_ACCESS_KEY: 's',
}
/** Prometheus' own, about the scrape. */
const OF_PROMETHEUS = ['up']
const undo = cleanups()

/** Names of metrics in expressions of PromQL. */
function metricsIn(expressions: readonly string[]): string[] {
  const names = expressions.flatMap(
    (one) => one.replaceAll(/\{[^}]*\}|\bby \([^)]*\)|\[[^\]]*\]/g, ' ').match(/[a-z_][\w:]*(?! *\()\b/g) ?? [],
  )
  return [...new Set(names)].filter(
    (name) => !/^(time|sum|min|max|rate|increase|changes|max_over_time|min_over_time)$/.test(name),
  )
}

it('asks only for metrics that a running server exports', async () => {
  const server = await startServer({ env: STORE })
  undo(() => server.remove())
  const text = await (await fetch(`${server.origin}/metrics`)).text()
  const exported = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name))
  const ofRules = metricsIn([...rules.matchAll(/^ +expr: (.*)$/gm)].map(([, expression = '']) => expression))
  const ofPanels = metricsIn(
    [...dashboard.matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(([, one = '']) => JSON.parse(`"${one}"`) as string),
  )
  expect(ofRules.length).toBeGreaterThan(10)
  expect(ofPanels.length).toBeGreaterThan(15)
  const unknown = [...ofRules, ...ofPanels].filter((name) => !exported.has(name) && !OF_PROMETHEUS.includes(name))
  expect(unknown).toEqual([])
  expect(text).toMatch(/^bowline_database_up 1$/m)
  expect(text).toMatch(/^bowline_build_info\{version="v\d/m)
})

it('has a runbook for each alert, a row that names it, and a test in which it is quiet and then fires', () => {
  expect(alerts.length).toBeGreaterThan(10)
  const [runbooks, monitoring] = [page('runbooks.md'), page('monitoring.md')]
  const sections = [...runbooks.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
  expect(sections).toEqual(alerts)
  for (const name of alerts) {
    expect(rules).toContain(`/docs/self-hosted/runbooks#${name.toLowerCase()}\n`)
    expect(monitoring).toContain(`[\`${name}\`](./runbooks.md#${name.toLowerCase()})`)
    expect(tests).toMatch(new RegExp(`alertname: ${name}\\n +exp_alerts: \\[\\]`))
    expect(tests).toMatch(new RegExp(`alertname: ${name}\\n +exp_alerts:\\n`))
  }
})

it.skipIf(!existsSync(PROMTOOL))(
  'takes the rules and passes their tests by the commands of the page (needs the package prometheus)',
  async () => {
    const script = await scriptOf('self-hosted/monitoring.md', 'promtool')
    const { status, stdout, stderr } = spawnSync('bash', ['-euc', script], {
      cwd: root,
      encoding: 'utf8',
      // With a socket there, bash may take itself for a remote shell and read the files of one.
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout.match(/SUCCESS/g)).toHaveLength(2)
  },
)
