// An address of its own for each run of a row. The server limits wrong passwords by source, so hundreds of runs of a row
// that types one have to come from as many sources. A client of this machine comes from the address that it connects to
// when that is one of the machine's.
import { readFile, writeFile } from 'node:fs/promises'
import type { SiteSource, Sites } from './sites.ts'
import { tool } from './tool.ts'

/** The address of a run: in the private range 10.99.0.0/16, on the loopback interface only. */
const addressOf = (at: number): string => `10.99.${Math.floor(at / 250)}.${(at % 250) + 1}`

/**
 * Adds addresses to this machine; disposing removes them. Needs root.
 * @returns sites whose Bowline is reached at the next address each time; its server must listen on all addresses
 */
export async function withOwnAddresses(sites: SiteSource, count: number): Promise<Sites> {
  const addresses = Array.from({ length: count }, (_, at) => addressOf(at))
  const all = (act: 'replace' | 'del') =>
    tool(['ip', '-force', '-batch', '-'], {
      input: addresses.map((address) => `address ${act} ${address}/32 dev lo\n`).join(''),
    })
  await all('replace')
  let next = 0
  return {
    async fresh(name, at) {
      const site = await sites.fresh(name, at)
      if (name === 'sshd') return site
      const host = addresses[next++ % count] ?? site.host
      const settings = await readFile(site.configFile, 'utf8')
      await writeFile(site.configFile, settings.replace(`HostName ${site.host}\n`, `HostName ${host}\n`))
      return { ...site, host }
    },
    async [Symbol.asyncDispose]() {
      await all('del')
    },
  }
}
