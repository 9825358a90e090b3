// The Helm chart: rendered by Helm for several installations, held against the schemas of Kubernetes, and read for what
// the schemas do not say.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SETTINGS } from '@bowline/contract/config'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from '../support/product.ts'

const TOOLS = join(root, '.cache/kubernetes')
const SCHEMAS = `${TOOLS}/schemas/{{.ResourceKind}}{{.KindSuffix}}.json`
const hasTools = ['helm', 'kubeconform', 'schemas/_definitions.json'].every((name) => existsSync(join(TOOLS, name)))
const folder = mkdtempSync(join(tmpdir(), 'bowline-chart-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Values = Readonly<Record<string, unknown>>
const LEAST: Values = { domain: 'bowline.example.com', secrets: { existingSecret: 'bowline' } }
const S3 = { endpoint: 'https://s3.example.com', region: 'eu', bucket: 'recordings', prefix: 'b', existingSecret: 's3' }
/** Everything switched on. */
const MOST: Values = {
  ...LEAST,
  replicas: 3,
  s3: S3,
  cloudNativePg: { enabled: true },
  publicUrl: 'https://bowline.example.com',
  trustedProxies: ['10.0.0.0/8', '192.0.2.1'],
  metricsSources: ['10.1.0.0/16'],
  tls: { existingSecret: 'certificate' },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'web', annotations: { one: 'two' } },
  service: { http: { type: 'LoadBalancer', annotations: { one: 'two' } }, ssh: { type: 'ClusterIP' } },
  settings: { BOWLINE_GEOIP_FILE: '/data/cities.mmdb', BOWLINE_MAX_SESSIONS: 9_000 },
  envFrom: [{ secretRef: { name: 'mail' } }],
  image: { pullSecrets: [{ name: 'registry' }] },
  networkPolicy: {
    from: [{ ipBlock: { cidr: '10.0.0.0/8' } }],
    egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: [{ port: 5432 }] }],
  },
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'only', operator: 'Exists' }],
  persistence: { storageClass: 'fast' },
  drainSeconds: 600,
}

let count = 0
/** Runs Helm with values, as its own file has them. */
function helm(command: readonly string[], values: Values) {
  count += 1
  const file = join(folder, `${count}.json`)
  writeFileSync(file, JSON.stringify(values))
  return spawnSync(
    join(TOOLS, 'helm'),
    [...command, join(root, 'deploy/helm'), '-f', file, '--kube-version', '1.34.0'],
    {
      encoding: 'utf8',
      env: { HOME: folder, PATH: process.env['PATH'] },
    },
  )
}
function render(values: Values): string {
  const { stdout, stderr } = helm(['template', 'prod'], values)
  if (stderr !== '') throw new Error(stderr)
  return stdout
}

describe.skipIf(!hasTools)('the Helm chart (needs .cache/kubernetes, which .ci/run makes)', () => {
  it.each([
    ['the least', LEAST, 5],
    ['everything', MOST, 7],
  ])('renders to what Kubernetes takes, without a warning: %s', (_, values, kinds) => {
    const { status, stdout } = helm(['lint', '--strict'], values)
    expect([status, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')])
    // Nothing here describes CloudNativePG's own kind.
    const how = ['-strict', '-summary', '-output', 'json', '-skip', 'Cluster', '-schema-location', SCHEMAS]
    const checked = spawnSync(join(TOOLS, 'kubeconform'), how, { input: render(values), encoding: 'utf8' })
    expect(JSON.parse(checked.stdout)).toMatchObject({
      resources: [],
      summary: { valid: kinds, invalid: 0, errors: 0 },
    })
  })

  it('is refused by the schemas when a field is misspelt', () => {
    const how = ['-strict', '-schema-location', SCHEMAS]
    const input = render(LEAST).replace('terminationGracePeriodSeconds', 'terminationGraceSeconds')
    expect(spawnSync(join(TOOLS, 'kubeconform'), how, { input, encoding: 'utf8' }).status).toBe(1)
  })

  it('names only settings that exist', () => {
    const names = [...render(MOST).matchAll(/name: (BOWLINE_\w+)/g)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThan(15)
    expect(names.filter((name) => !(name in SETTINGS))).toEqual([])
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it('takes every secret setting from a secret', () => {
    const lines = render(MOST).split('\n')
    const values = lines
      .map((line) => /name: (BOWLINE_\w+), value:/.exec(line)?.[1] ?? '')
      .filter((name) => name in SETTINGS)
    const secret = (name: string): boolean => 'secret' in (SETTINGS[name as keyof typeof SETTINGS] ?? {})
    expect(values.length).toBeGreaterThan(8)
    expect(values.filter(secret)).toEqual([])
  })

  it.each([0, 300, 600])('gives a pod the time to drain for %i seconds before it is killed', (drainSeconds) => {
    const text = render({ ...LEAST, drainSeconds })
    expect(text).toContain(`name: BOWLINE_DRAIN_SECONDS, value: "${drainSeconds}"`)
    // The sleep of five seconds, and twenty that the server takes at most to close, and some.
    expect(text).toContain(`terminationGracePeriodSeconds: ${drainSeconds + 30}\n`)
  })

  it('lets the pods of several nodes reach each other, and nobody else that port', () => {
    const several = render(MOST)
    expect(several).toContain('value: "$(POD_NAME).prod-bowline-nodes.default.svc:4430"')
    expect(several).toMatch(/- ports:\n\s+- \{ port: nodes \}\n\s+from:\n\s+- podSelector:/)
    expect(render(LEAST)).not.toMatch(/4430|BOWLINE_NODE_ADDRESS|port: nodes/)
  })

  it('runs without root, without rights and on a read-only root', () => {
    const text = render(LEAST)
    for (const line of [
      'runAsNonRoot: true',
      'readOnlyRootFilesystem: true',
      'drop: [ALL]',
      'allowPrivilegeEscalation: false',
    ])
      expect(text).toContain(line)
    expect(text).not.toMatch(/privileged: true|hostNetwork|hostPath/)
  })

  it('keeps one pod of several when nodes are drained', () => {
    expect(render(LEAST)).not.toContain('PodDisruptionBudget')
    expect(render(MOST)).toMatch(/kind: PodDisruptionBudget[\s\S]*maxUnavailable: 1/)
  })

  it.each([
    ['no domain', { secrets: { existingSecret: 'bowline' } }, 'domain is required'],
    ['no secret', { domain: 'bowline.example.com' }, 'secrets.existingSecret is required'],
    ['several pods without a store', { ...LEAST, replicas: 2 }, 'replicas above 1 need s3.bucket'],
  ])('says what is missing: %s', (_, values, reason) => {
    expect(helm(['template', 'prod'], values).stderr).toContain(reason)
  })
})
