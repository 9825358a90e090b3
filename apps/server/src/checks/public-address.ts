// Check of the address under which people and devices reach the server.
import { lookup } from 'node:dns/promises'
import { request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'
import { json } from 'node:stream/consumers'
import type { ServerConfig } from '../config.ts'
import { VERSION } from '../platform/version.ts'
import { type Finding, finding, reason } from './finding.ts'
import { OurInfo, isOurHttp } from './network.ts'

const CHECK = 'public address'
const ANSWER_TIMEOUT_MS = 10_000

/**
 * Asks the public address, while the server runs here. What does not answer from here may still do so from elsewhere
 * (NAT without hairpins), so that nothing of it fails.
 */
export async function checkPublicAddress({ publicOrigin, settings, tls, pin }: ServerConfig): Promise<Finding[]> {
  if (publicOrigin === undefined) return []
  if (!(await isOurHttp(settings.BOWLINE_HOST, settings.BOWLINE_HTTP_PORT, tls !== undefined))) return []
  const { hostname } = new URL(publicOrigin)
  // The check of the domain says so.
  const isKnown = await lookup(hostname.replace(/^\[|\]$/g, '')).then(
    () => true,
    () => false,
  )
  if (!isKnown) return []
  try {
    const info = OurInfo.safeParse(await infoOf(publicOrigin, pin === ''))
    if (!info.success) {
      const remedy = 'Lead the name and its proxy to this server, or correct BOWLINE_DOMAIN or BOWLINE_PUBLIC_URL.'
      return [finding(CHECK, 'warn', `Something else than a Bowline server answers at ${publicOrigin}.`, remedy)]
    }
    const { version } = info.data
    if (version === VERSION) return [finding(CHECK, 'ok', `A Bowline server answers at ${publicOrigin}.`)]
    const remedy = 'During an upgrade of several nodes that is right; otherwise the address leads elsewhere.'
    return [finding(CHECK, 'warn', `A Bowline server of version ${version} answers at ${publicOrigin}.`, remedy)]
  } catch (error) {
    const remedy =
      'Right where only other networks reach that address; otherwise look at proxy, firewall and certificate.'
    return [finding(CHECK, 'warn', `${publicOrigin} cannot be reached from here: ${reason(error)}`, remedy)]
  }
}

/** @param isCertified whether the certificate must be one that this machine trusts */
async function infoOf(origin: string, isCertified: boolean): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const request = origin.startsWith('https:')
    ? requestByHttps(`${origin}/info`, { timeout: ANSWER_TIMEOUT_MS, agent: false, rejectUnauthorized: isCertified })
    : requestByHttp(`${origin}/info`, { timeout: ANSWER_TIMEOUT_MS, agent: false })
  request.once('response', (response) => json(response).then(resolve, () => resolve(undefined)))
  request.once('timeout', () => request.destroy(new Error('no answer')))
  request.once('error', reject)
  request.end()
  return promise
}
