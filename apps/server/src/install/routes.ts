// Routes for new devices: the install script and the agent's bundle. Public: they hold no secrets, and a device has no
// credential yet.
import { fail } from '@bowline/contract/errors'
import { TenantId } from '@bowline/contract/schemas/common'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { parseInput } from '../platform/input/parse-input.ts'
import { ARCHITECTURES, type Architecture, type Bundles, bundleName } from './bundles.ts'
import type { Manifests, SignedManifest } from './manifest.ts'
import { sendFile } from './ranges.ts'
import { installScript } from './script.ts'

export interface InstallFiles {
  readonly bundles: Bundles
  readonly manifests: Pick<Manifests, 'read'>
  /** `sha256//…` of this server's key, or ''. */
  readonly pin: string
}

/** Defaults to put into the script. */
const ScriptQuery = z.object({
  tenant_id: TenantId.optional(),
  preferred_hostname: z.string().max(64).optional(),
  preferred_identity: z.string().max(64).optional(),
  keepalive_interval: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a number of seconds')
    .optional(),
})
const Arch = z.object({ arch: z.enum(ARCHITECTURES) })

export function serveInstall(server: FastifyInstance, { bundles, manifests, pin }: InstallFiles): void {
  const signed = async (): Promise<SignedManifest> => {
    const found = await manifests.read()
    return 'reason' in found ? fail('AGENT_UPDATES_UNAVAILABLE', { reason: found.reason }) : found
  }
  for (const path of ['/install.sh', '/kickstart.sh']) {
    server.get(path, async (request, reply) => {
      const query = parseInput('query', ScriptQuery, request.query)
      const found = await manifests.read()
      void reply.type('text/x-shellscript; charset=utf-8').header('cache-control', 'no-store')
      return reply.send(
        installScript({
          serverAddress: `${request.protocol}://${request.host}`,
          tenantId: query.tenant_id ?? '',
          pin,
          preferredHostname: query.preferred_hostname ?? '',
          preferredIdentity: query.preferred_identity ?? '',
          keepaliveInterval: query.keepalive_interval ?? '',
          updateKey: 'manifest' in found ? found.manifest.key : '',
          sums: { x64: (await bundles.knownSum('x64')) ?? '', arm64: (await bundles.knownSum('arm64')) ?? '' },
        }),
      )
    })
  }
  server.get('/agent/bundle-linux-:arch.tar.gz', async (request, reply) => {
    const { arch } = parseInput('params', Arch, request.params)
    const bundle = await bundles.path(arch)
    if (typeof bundle !== 'string') fail('AGENT_UNAVAILABLE', { arch, reason: bundle.reason })
    return sendFile(request, reply.type('application/gzip'), bundle)
  })
  server.get('/agent/bundle-linux-:arch.tar.zst', async (request, reply) => {
    const { arch } = parseInput('params', Arch, request.params)
    const reason = 'this server has no signed release'
    const file = bundles.smallPath(arch) ?? fail('AGENT_UNAVAILABLE', { arch, reason })
    return sendFile(request, reply.type('application/zstd'), file)
  })
  server.get('/agent/manifest.json', async (_request, reply) => {
    const { bytes } = await signed()
    return reply.type('application/json; charset=utf-8').header('cache-control', 'no-store').send(bytes)
  })
  server.get('/agent/manifest.json.sig', async (_request, reply) => {
    const { signature } = await signed()
    return reply.type('application/octet-stream').header('cache-control', 'no-store').send(signature)
  })
  server.get('/agent/bundle-linux-:arch.tar.gz.sha256', async (request, reply) => {
    const { arch } = parseInput('params', Arch, request.params)
    const sum = await bundles.sum(arch)
    if (typeof sum !== 'string') fail('AGENT_UNAVAILABLE', { arch, reason: sum.reason })
    return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store').send(sumLine(arch, sum))
  })
  server.get('/agent/SHA256SUMS', async (_request, reply) => {
    const lines = await Promise.all(
      ARCHITECTURES.map(async (arch) => {
        const sum = await bundles.knownSum(arch)
        return sum === undefined ? '' : sumLine(arch, sum)
      }),
    )
    return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store').send(lines.join(''))
  })
}

/** A line in the format of sha256sum(1). */
function sumLine(arch: Architecture, sum: string): string {
  return `${sum}  ${bundleName(arch)}\n`
}
