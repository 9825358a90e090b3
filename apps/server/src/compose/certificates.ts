// Certificates with all their parts: what the listener shows, who renews it, and the doors for authorities.
import type { Server } from 'node:net'
import { type SecureContext, Server as TlsServer } from 'node:tls'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import { openAlpnDoor } from '../certificates/challenges/alpn-door.ts'
import { createHttpDoor } from '../certificates/challenges/http-door.ts'
import { findHttpAnswer, findTlsAnswer } from '../certificates/challenges/proofs.ts'
import { type Keeper, createKeeper } from '../certificates/keeper.ts'
import { createLiveCertificates } from '../certificates/live.ts'
import type { CertificateDeps } from '../certificates/service.ts'
import { warnOfEnds } from '../certificates/warnings.ts'
import type { ServerConfig } from '../config.ts'
import type { Schema } from '../db/schema.ts'
import type { MailQueue } from '../mails/queue.ts'
import type { Log } from '../platform/log.ts'
import type { CertificateCounts } from '../platform/metrics.ts'
import { isTunnelHost } from '../platform/network/tunnel-addresses.ts'

export interface CertificateParts {
  readonly deps: CertificateDeps
  readonly counts: CertificateCounts
  /** For the options of the listener of https. */
  readonly SNICallback: (name: string, done: (error: Error | null, context?: SecureContext) => void) => void
  /** Reads what was issued before. Call it before the listener is made. */
  load(onEnd: OnEnd): Promise<void>
  /** Gives the listener its certificates. Call it before it listens. */
  attach(server: Server): void
  /** Opens the door for authorities, begins to renew and to warn. Call it when the server listens. */
  start(onEnd: OnEnd, mails: MailQueue): Promise<void>
}

type OnEnd = (ending: () => Promise<void>) => void

const WARNING_INTERVAL_MS = 6 * 3_600_000
const HTTPS_PORT = 443

export function composeCertificates(parts: {
  readonly config: ServerConfig
  readonly system: Kysely<Schema>
  readonly node: string
  readonly clock: Clock
  readonly log: Log
}): CertificateParts {
  const { config, system: db, node, clock, log } = parts
  const { settings, acme, tls, secretKey } = config
  const tunnels = settings.BOWLINE_TUNNELS_DOMAIN
  const isOfTunnels = (name: string): boolean => isTunnelHost(name, tunnels)
  const live = createLiveCertificates(isOfTunnels, tls)
  const keeper: Keeper | undefined = acme && createKeeper({ db, clock, log, secretKey, acme, node, live })
  const deps = { db, clock, acme, tls, isOperators: settings.BOWLINE_TLS_CERT_FILE !== undefined }
  return {
    deps,
    counts: { ends: () => live.ends(), failures: () => keeper?.failures ?? 0 },
    SNICallback: live.SNICallback,
    async load(onEnd) {
      if (!keeper) return
      onEnd(() => keeper.stop())
      await keeper.load()
    },
    attach(server) {
      if (!acme || !(server instanceof TlsServer)) return
      live.attach(server)
      if (acme.challenge === 'tls-alpn-01')
        openAlpnDoor(server, { clock, find: (name) => findTlsAnswer(db, name, clock.now()) })
    },
    async start(onEnd, mails) {
      if (acme?.httpPort !== undefined) {
        const domain = acme.wanted[0]?.names[0]
        const door = createHttpDoor({
          clock,
          log,
          host: settings.BOWLINE_HOST,
          port: acme.httpPort,
          connections: {
            perSource: settings.BOWLINE_MAX_HTTP_CONNECTIONS_PER_SOURCE,
            total: settings.BOWLINE_MAX_HTTP_CONNECTIONS,
            isExempt: config.isExemptSource,
          },
          find: (token, name) => findHttpAnswer(db, token, name, clock.now()),
          isOwnName: (name) => name === domain || isOfTunnels(name),
          httpsPort: () => Number(new URL(config.publicOrigin ?? '').port) || HTTPS_PORT,
        })
        onEnd(() => door.close())
        await door.start()
      }
      keeper?.start()
      const warn = (): void => {
        warnOfEnds({ ...deps, log, mails }).catch((error: unknown) => log.error('jobs.error', { err: error }))
      }
      warn()
      const stop = clock.every(WARNING_INTERVAL_MS, warn)
      onEnd(() => Promise.resolve(stop()))
    },
  }
}
