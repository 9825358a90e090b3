// Checks of an installation that has run before: its database's clock and distance, its key, and what its rows say.
import type { Kysely } from 'kysely'
import type { ServerConfig } from '../config.ts'
import { openSystemView } from '../db/database.ts'
import type { OwnerConnection } from '../db/owner-session.ts'
import type { Schema } from '../db/schema.ts'
import { createLog } from '../platform/log.ts'
import { VERSION } from '../platform/version.ts'
import { countAgentVersions, countNotStored, listSharedAddresses, readClock, readSealedKey } from './facts-store.ts'
import { type Finding, finding, reason } from './finding.ts'
import { checkNodes } from './nodes.ts'

/** Round trips measured; the fastest counts, the first of them opens the connection. */
const ROUND_TRIPS = 4
/** A login makes about five statements, one after the other. */
const SLOW_MS = 20
/** The server follows the database's clock, but times of its log and of files are its own. */
const SKEW_MS = 5_000
const HOUR_MS = 3_600_000
/** Devices of one office share an address too; of a proxy that hides addresses all do. */
const SHARED_BY = 2

/** @param now milliseconds since the epoch, of this machine */
export async function checkInstallation(owner: OwnerConnection, config: ServerConfig, now: number): Promise<Finding[]> {
  const view = openSystemView(owner, createLog('silent', 2))
  const { system } = view
  try {
    return [
      ...(await checkTime(system, now)),
      await checkKey(system, config),
      ...(await checkAddresses(system, config)),
      ...(await checkAgents(system)),
      ...(await checkUploads(system, config, now)),
      ...(await checkNodes(system)),
    ]
  } finally {
    await view.close()
  }
}

async function checkTime(system: Kysely<Schema>, now: number): Promise<Finding[]> {
  const started = performance.now()
  let [fastest, skew] = [Number.POSITIVE_INFINITY, 0]
  for (let trip = 0; trip < ROUND_TRIPS; trip += 1) {
    const asked = performance.now()
    const theirs = await readClock(system)
    const answered = performance.now()
    if (answered - asked >= fastest) continue
    fastest = answered - asked
    // Their clock was read about halfway.
    skew = now + (asked + answered) / 2 - started - theirs
  }
  const trip = `${fastest.toFixed(1)} ms`
  const distance =
    fastest > SLOW_MS
      ? finding(
          'latency',
          'warn',
          `A statement takes ${trip} at least, and each login waits for some.`,
          'Run the server close to its database.',
        )
      : finding('latency', 'ok', `A statement takes ${trip}.`)
  const seconds = `${Math.abs(skew / 1_000).toFixed(0)} s ${skew > 0 ? 'ahead of' : 'behind'} the database`
  const clock =
    Math.abs(skew) > SKEW_MS
      ? finding('clock', 'warn', `This machine’s clock is ${seconds}.`, 'Set both by NTP: timedatectl set-ntp true')
      : finding('clock', 'ok', 'This machine’s clock agrees with the database.')
  return [distance, clock]
}

async function checkKey(system: Kysely<Schema>, { secretKey }: ServerConfig): Promise<Finding> {
  const name = 'token-rsa'
  const sealed = await readSealedKey(system, name)
  if (!sealed) return finding('secret key', 'ok', 'Nothing is sealed yet.')
  try {
    secretKey.open(name, sealed)
    return finding('secret key', 'ok', 'It opens what is sealed in the database.')
  } catch (error) {
    return finding(
      'secret key',
      'fail',
      reason(error),
      'Use the key of the backup: without it the sealed keys are lost.',
    )
  }
}

/** A proxy that hides its clients gives all of them its own address. */
async function checkAddresses(system: Kysely<Schema>, config: ServerConfig): Promise<Finding[]> {
  if (config.settings.BOWLINE_TRUSTED_PROXIES.length === 0) return []
  const shared = await listSharedAddresses(system, SHARED_BY)
  const hidden = shared.filter(({ address }) => config.isTrustedProxy(address))
  if (hidden.length === 0) return [finding('trusted proxies', 'ok', 'Linked devices have addresses of their own.')]
  const which = hidden.map(({ address, count }) => `${count} devices seem to be at ${address}`).join(', ')
  const remedy = 'That is a proxy: let it send X-Forwarded-For or the PROXY protocol.'
  return [finding('trusted proxies', 'warn', `${which}.`, remedy)]
}

async function checkAgents(system: Kysely<Schema>): Promise<Finding[]> {
  const versions = await countAgentVersions(system)
  if (versions.length === 0) return []
  const list = versions.map(({ version, count }) => `${count} with ${version === '' ? 'an unknown version' : version}`)
  const message = `Linked devices: ${list.join(', ')}; the server is ${VERSION}.`
  const others = versions.filter(({ version }) => version.replace(/^v?/, 'v') !== VERSION)
  if (others.length === 0) return [finding('agents', 'ok', message)]
  return [finding('agents', 'warn', message, 'Run the install command of the console on them again.')]
}

async function checkUploads(system: Kysely<Schema>, { objectStore }: ServerConfig, now: number): Promise<Finding[]> {
  if (!objectStore) return []
  const waiting = await countNotStored(system, new Date(now - HOUR_MS))
  if (waiting === 0) return [finding('uploads', 'ok', 'Every recording that ended an hour ago is in the S3 store.')]
  const message = `${waiting} recordings that ended more than an hour ago are not in the S3 store.`
  return [finding('uploads', 'warn', message, 'The log says why: recording.store-away, or the check of the S3 store.')]
}
