// What a new device fetches: the install script, the agent's bundle and a Node to run it. Public: nothing in it is
// secret, and a device has no credential yet.
import { createReadStream, existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { fail } from '@bowline/contract/errors'
import { TenantId } from '@bowline/contract/schemas/common'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { parseInput } from '../http/errors.ts'
import { installScript } from './script.ts'

export interface InstallFiles {
  /** Folder with `bundle-linux-<arch>.tar.gz`. */
  readonly bundles: string
  /** Path of the Node binary for an architecture; it may not exist. */
  readonly node: (arch: string) => string
  /** Writable folder for compressed copies. */
  readonly cache: string
  readonly pin: string
}

const ScriptQuery = z.object({ tenant_id: TenantId.optional() })
const Arch = z.object({ arch: z.enum(['x64', 'arm64']) })

export function serveInstall(server: FastifyInstance, files: InstallFiles): void {
  const script = (tenantId: string, origin: string) =>
    installScript({ serverAddress: origin, tenantId, pin: files.pin })
  for (const path of ['/install.sh', '/kickstart.sh']) {
    server.get(path, async (request, reply) => {
      const { tenant_id: tenantId } = parseInput('query', ScriptQuery, request.query)
      void reply.type('text/x-shellscript; charset=utf-8').header('cache-control', 'no-store')
      return reply.send(script(tenantId ?? '', `${request.protocol}://${request.host}`))
    })
  }
  server.get('/agent/bundle-linux-:arch.tar.gz', async (request, reply) => {
    const { arch } = parseInput('params', Arch, request.params)
    return send(reply, join(files.bundles, `bundle-linux-${arch}.tar.gz`), 'The agent for this architecture')
  })
  server.get('/agent/node-linux-:arch.gz', async (request, reply) => {
    const { arch } = parseInput('params', Arch, request.params)
    if (!existsSync(files.node(arch))) fail('NOT_FOUND', { what: 'Node for this architecture' })
    return send(reply, await compressed(files, arch), 'Node for this architecture')
  })
}

function send(reply: FastifyReply, file: string, what: string): FastifyReply {
  if (!existsSync(file)) fail('NOT_FOUND', { what })
  return reply.type('application/gzip').send(createReadStream(file))
}

const underWay = new Map<string, Promise<void>>()

/** The compressed copy of a Node binary, made at first use; callers that come meanwhile share the work. */
async function compressed(files: InstallFiles, arch: string): Promise<string> {
  const target = join(files.cache, `node-${process.versions.node}-linux-${arch}.gz`)
  if (existsSync(target)) return target
  const making =
    underWay.get(target) ??
    pipeline(
      createReadStream(files.node(arch)),
      createGzip({ level: 4 }),
      createWriteStream(`${target}.part`, { mode: 0o600 }),
    )
      .then(() => rename(`${target}.part`, target))
      .finally(() => underWay.delete(target))
  underWay.set(target, making)
  await making
  return target
}
