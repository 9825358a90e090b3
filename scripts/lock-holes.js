// Part of `npm run check`: finds optional packages of other platforms missing from the lockfile. A registry that lacks
// some of them lets `npm install` write such a lockfile, and `npm ci` then rejects it on every machine.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './project-node.js'

/** @returns {string[]} `package -> missing@version` */
export function lockHoles() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const isLocked = (from, name) => {
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      if (packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`]) return true
      if (at === '') return false
    }
  }
  return Object.entries(packages).flatMap(([from, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !isLocked(from, name))
      .map(([name, version]) => `${from} -> ${name}@${version}`),
  )
}
