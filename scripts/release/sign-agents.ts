// `npm run agents:sign -- --signing-key release.pem`: builds the agents of this checkout and signs their manifest, for
// servers that run from a checkout. `-- --rotate next.pem` instead states in the file of `--rotations` that another key
// follows.
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ARCHITECTURES } from '../agent-bundle/bundle.ts'
import { buildStale } from '../build.ts'
import { appendRotation, releaseNumber, writeManifest } from './manifest.ts'
import { smallArchives } from './small-archive.ts'
import { versionOfCheckout } from './release.ts'

const root = resolve(import.meta.dirname, '../..')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'signing-key': { type: 'string' },
    'release-number': { type: 'string' },
    'minimum-release': { type: 'string', default: '0' },
    rotations: { type: 'string' },
    rotate: { type: 'string' },
  },
})
const { 'signing-key': key, rotations, rotate } = values
if (key === undefined) throw new Error('--signing-key names the file of the private key')
if (rotate !== undefined) {
  if (rotations === undefined) throw new Error('--rotations names the file that the statement is added to')
  appendRotation(rotations, key, rotate)
} else {
  const chosen = ARCHITECTURES.filter((arch) => positionals.length === 0 || positionals.includes(arch))
  await buildStale(chosen.map((arch) => `agent-${arch}`))
  const folder = join(root, 'apps/agent/dist')
  const bundles = Object.fromEntries(
    chosen.map((arch) => [`linux-${arch}`, join(folder, `bundle-linux-${arch}.tar.gz`)]),
  )
  writeManifest({
    folder,
    bundles,
    small: smallArchives(bundles),
    key,
    version: versionOfCheckout(),
    release: releaseNumber(values['release-number']),
    minimumRelease: Number(values['minimum-release']),
    rotations,
  })
}
