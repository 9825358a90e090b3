// Keeps the certificates of this server: shows those in the database, and gets new ones when they are due. Of several
// nodes the one that has the lease orders; the others find the outcome in the database.
import { X509Certificate } from 'node:crypto'
import { BackgroundLoop } from '@bowline/base/background-loop'
import type { CertificateUse } from '@bowline/contract/operations/instance'
import { order } from './acme/order.ts'
import { AcmeError, printable } from './acme/errors.ts'
import { certificateId, renewalWindow } from './acme/renewal-info.ts'
import { type AccountParts, accountClient, anonymousClient, forgetUnknownAccount } from './account.ts'
import { showProof } from './challenges/proofs.ts'
import { lifeOf } from './life.ts'
import type { LiveCertificates } from './live.ts'
import { askDelayMs, renewalTime, renewalTimeWithin, retryDelayMs } from './schedule.ts'
import type { WantedCertificate } from './settings.ts'
import {
  type CertificateRow,
  claimQuestion,
  findCertificates,
  lease,
  putFailure,
  putIssued,
  releaseLeases,
  setRenewal,
  want,
} from './store.ts'

export interface KeeperParts extends AccountParts {
  readonly node: string
  readonly live: Pick<LiveCertificates, 'use'>
  /** From 0 to 1. */
  readonly random?: () => number
}

export interface Keeper {
  /** Notes what is wanted and shows what there is. Call it before the server listens. */
  load(): Promise<void>
  /** Begins what is due. Call it when authorities reach the server. */
  start(): void
  /** Looks for work. */
  wake(): void
  /** Resolves when no order is under way any more; those that are end with a failure that is not counted. */
  stop(): Promise<void>
  /** Orders since the start that failed, for the metrics. */
  readonly failures: number
}

/** An order may take this long; a hook that waits for DNS takes most of it. */
const ORDER_MS = 600_000
/** Longer than an order, so that no other node begins one meanwhile. */
const LEASE_MS = ORDER_MS + 120_000
/** How soon other nodes show what one has got, and a server does what its command line asks for. */
const LOOK_MS = 2_000

export function createKeeper(parts: KeeperParts): Keeper {
  const { db, clock, log, secretKey, acme, node, live, random = Math.random } = parts
  const stopping = new AbortController()
  const orders = new Map<CertificateUse, Promise<void>>()
  /** Chains that are shown. */
  const shown = new Map<CertificateUse, string>()
  let failures = 0
  let stopLooking = (): void => undefined
  const now = (): Date => new Date(clock.now())

  const loop = new BackgroundLoop(async () => {
    try {
      for (const row of await findCertificates(db)) await look(row)
    } catch (error) {
      // The next look tries again.
      log.error('certificate.error', { err: error })
    }
  })

  async function look(row: CertificateRow): Promise<void> {
    const wanted = show(row)
    if (!wanted) return
    await askForRenewal(row)
    if (stopping.signal.aborted || orders.has(row.use) || row.due_at.getTime() > clock.now()) return
    const until = new Date(clock.now() + LEASE_MS)
    const held = await lease(db, { use: row.use, node, now: now(), until })
    if (!held) return
    const ended = renew(held, wanted)
      .catch((error: unknown) => log.error('certificate.error', { err: error }))
      .finally(() => {
        orders.delete(row.use)
        loop.wake()
      })
    orders.set(row.use, ended)
  }

  /**
   * Shows what was issued, if it is for the names that are wanted: others are of former settings.
   * @returns what is wanted; undefined if nothing is
   */
  function show({ use, chain, sealed, issued_names: names }: CertificateRow): WantedCertificate | undefined {
    const wanted = acme.wanted.find((one) => one.use === use)
    if (chain === null || sealed === null || shown.get(use) === chain) return wanted
    if (!wanted?.names.every((name) => names.includes(name))) return wanted
    live.use(use, { cert: chain, key: secretKey.open(sealName(use), sealed).toString() })
    shown.set(use, chain)
    return wanted
  }

  async function renew(row: CertificateRow, wanted: WantedCertificate): Promise<void> {
    const { use } = row
    const late = new AbortController()
    const cancel = clock.after(ORDER_MS, () => late.abort())
    const signal = AbortSignal.any([stopping.signal, late.signal])
    try {
      const { client, key } = await accountClient(parts, signal)
      const hasInfo = (await client.directory()).renewalInfo !== undefined
      const isSuccessor = hasInfo && row.chain !== null && sameNames(row.issued_names, wanted.names)
      const replaces = isSuccessor ? await certificateId(row.chain ?? '') : undefined
      const proofs = { ...parts, hook: acme.hook, lifeMs: ORDER_MS }
      const orderParts = {
        client,
        key,
        clock,
        signal,
        show: (proof: Parameters<typeof showProof>[1]) => showProof(proofs, proof, signal),
      }
      const { cert: chain, key: pem } = await order(orderParts, { ...wanted, replaces })
      const life = lifeOf(chain)
      const sealed = secretKey.seal(sealName(use), Buffer.from(pem))
      const dueAt = new Date(renewalTime(life, random()))
      // Not asked at once: an authority that always wants a renewal now would cause one order after the other.
      const askAt = new Date(clock.now() + askDelayMs(0))
      const issued = { use, node, names: wanted.names, chain, sealed, now: now(), dueAt, askAt }
      if (await putIssued(db, issued))
        log.info('certificate.renewed', { use, names: wanted.names, ends: new Date(life.to).toISOString(), dueAt })
    } catch (error) {
      // A stopping server hands the work on; nothing has failed.
      if (stopping.signal.aborted) return releaseLeases(db, node)
      await fail(row, error)
    } finally {
      cancel()
    }
  }

  async function fail({ use, failures: before }: CertificateRow, error: unknown): Promise<void> {
    failures += 1
    await forgetUnknownAccount(parts, error)
    const failed = error instanceof AcmeError ? error : { isRefusal: false, waitMs: 0 }
    const dueAt = new Date(clock.now() + retryDelayMs(before + 1, failed, random()))
    // Only what an authority or a program has said is for people; the log has the rest.
    const failure = error instanceof AcmeError ? printable(error.message) : 'The server failed; its log says why.'
    log.warn('certificate.failed', { use, failure, next: dueAt, ...(error instanceof AcmeError ? {} : { err: error }) })
    await putFailure(db, { use, node, failure, now: now(), dueAt })
  }

  /** Asks the authority when it wants the renewal. An authority that does not answer changes nothing. */
  async function askForRenewal({ use, chain, ask_at: askAt }: CertificateRow): Promise<void> {
    if (chain === null || askAt.getTime() > clock.now() || stopping.signal.aborted) return
    const claimed = { use, now: now(), next: new Date(clock.now() + askDelayMs(0)) }
    if (!(await claimQuestion(db, claimed))) return
    try {
      const id = await certificateId(chain)
      const client = anonymousClient(parts, stopping.signal)
      const window = id === undefined ? undefined : await renewalWindow(client, id)
      if (!window) return
      const dueAt = new Date(renewalTimeWithin(window, lifeOf(chain), positionOf(chain)))
      await setRenewal(db, { use, chain, now: now(), dueAt, askAt: new Date(clock.now() + askDelayMs(window.waitMs)) })
    } catch (error) {
      if (!(error instanceof AcmeError)) throw error
      log.debug('certificate.error', { err: error })
    }
  }

  return {
    async load() {
      await releaseLeases(db, node)
      for (const { use, names } of acme.wanted) await want(db, { use, names, directory: acme.directory, now: now() })
      for (const row of await findCertificates(db)) show(row)
    },
    start() {
      loop.wake()
      stopLooking = clock.every(LOOK_MS, () => loop.wake())
    },
    wake: () => loop.wake(),
    async stop() {
      stopLooking()
      stopping.abort()
      await loop.stop()
      await Promise.all(orders.values())
    },
    get failures() {
      return failures
    },
  }
}

const sealName = (use: CertificateUse): string => `acme-certificate:${use}`

function sameNames(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((name) => others.includes(name))
}

/** From 0 to 1: where in the authority's window a certificate is renewed; evenly spread, and the same on each node. */
function positionOf(chain: string): number {
  return Number.parseInt(new X509Certificate(chain).fingerprint256.replaceAll(':', '').slice(0, 8), 16) / 2 ** 32
}
