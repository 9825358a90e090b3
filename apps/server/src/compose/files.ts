// Files that the server offers: agents to install, the documentation with its search, and the console.
import { join, resolve } from 'node:path'
import type { Clock } from '@bowline/base/clock'
import type { FastifyInstance } from 'fastify'
import type { Available } from '../agent-updates/service.ts'
import type { ServerConfig } from '../config.ts'
import { serveDocsSearch } from '../docs-search/routes.ts'
import { serveStatic } from '../http/files/static.ts'
import { Bundles } from '../install/bundles.ts'
import { Manifests } from '../install/manifest.ts'
import { serveRepository } from '../install/repository.ts'
import { serveInstall } from '../install/routes.ts'
import { productFolders } from '../platform/folders.ts'
import type { Log } from '../platform/log.ts'
import type { createMetrics } from '../platform/metrics.ts'

interface FileParts {
  readonly config: ServerConfig
  readonly agents: ReturnType<typeof agentFiles>
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ReturnType<typeof createMetrics>
}

const OLDER_NODES = 'a server of an older version is running, at which sessions would end with the update'

/**
 * The agents that the server hands out, and their release as far as it is signed.
 * @param knowHandover whether every node leaves a link open that an updated agent takes over
 */
export function agentFiles(
  { BOWLINE_AGENTS_DIR: own }: ServerConfig['settings'],
  clock: Clock,
  log: Log,
  knowHandover: () => boolean,
) {
  const { install } = productFolders()
  // In a folder of the operator's nothing is built.
  const folders = own === undefined ? install : { bundles: own, maker: join(own, 'not-built') }
  const bundles = new Bundles(folders, clock, log)
  const manifests = new Manifests(folders.bundles, bundles)
  const release = async (): Promise<Available> => {
    const found = await manifests.read()
    if ('reason' in found) return found
    return {
      release: found.manifest.release,
      version: found.manifest.version,
      blocked: knowHandover() ? '' : OLDER_NODES,
    }
  }
  return { bundles, manifests, release, repository: resolve(folders.bundles, 'apt') }
}

export async function serveFiles(
  http: FastifyInstance,
  { config, agents, clock, log, metrics }: FileParts,
): Promise<void> {
  const { settings } = config
  const folders = productFolders()
  serveInstall(http, { ...agents, pin: config.pin })
  await serveRepository(http, agents.repository)
  serveDocsSearch(http, { folder: folders.docs, settings, clock, log, metrics })
  const pageViews = settings.BOWLINE_DOCS_PAGE_VIEWS === 'on'
  await serveStatic(http, { ...folders, pageViews, domain: settings.BOWLINE_DOMAIN })
}
