// Fetches the host key of a site, for clients that need it before they connect.
import { createHash } from 'node:crypto'
import type { Site } from '../row.ts'
import { tool } from '../tool.ts'

/** Scans the site on loopback. `fingerprint` is OpenSSH's form, SHA256:…; `line` is one of known_hosts. */
export async function hostKeyOf(site: Site): Promise<{ fingerprint: string; line: string }> {
  const { stdout } = await tool(['ssh-keyscan', '-t', 'ed25519', '-p', String(site.port), site.host])
  const line = stdout.split('\n').find((one) => one.includes(' ssh-ed25519 ')) ?? ''
  const digest = createHash('sha256').update(Buffer.from(line.split(' ')[2] ?? '', 'base64'))
  return { fingerprint: `SHA256:${digest.digest('base64').replaceAll('=', '')}`, line }
}
