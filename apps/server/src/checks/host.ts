// Checks of this machine: limits of open files, and the agents that devices get from here.
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerConfig } from '../config.ts'
import { ARCHITECTURES, bundleName } from '../install/bundles.ts'
import { productFolders } from '../platform/folders.ts'
import { neededFiles } from './contradictions.ts'
import { type Finding, finding } from './finding.ts'

/** @param limits limits of a process as /proc has them */
export async function checkFiles(config: ServerConfig, limits = '/proc/self/limits'): Promise<Finding[]> {
  const text = await readFile(limits, 'utf8').catch(() => '')
  // Node raises the soft limit to the hard one.
  const [, hard = ''] = /^Max open files +\S+ +(\d+)/m.exec(text) ?? []
  if (hard === '') return []
  const needed = neededFiles(config)
  if (Number(hard) >= needed) return [finding('open files', 'ok', `${hard} may be open at once.`)]
  const message = `${hard} may be open at once; the limits of connections allow ${needed}.`
  const remedy = `Raise it for the server (LimitNOFILE=${needed} of its unit, ulimit -n ${needed}), or lower the limits.`
  return [finding('open files', 'warn', message, remedy)]
}

/** @param folders where bundles are, and what makes missing ones */
export async function checkBundles({ bundles, maker } = productFolders().install): Promise<Finding[]> {
  const isThere = (path: string): Promise<boolean> =>
    access(path).then(
      () => true,
      () => false,
    )
  const missing: string[] = []
  for (const arch of ARCHITECTURES) if (!(await isThere(join(bundles, bundleName(arch))))) missing.push(arch)
  if (missing.length === 0) return [finding('agent bundles', 'ok', `There is one for ${ARCHITECTURES.join(' and ')}.`)]
  const which = missing.join(' and ')
  if (await isThere(maker)) {
    return [finding('agent bundles', 'ok', `That for ${which} is built when the first device asks for it.`)]
  }
  const remedy = 'Unpack the release anew, or one with the agents of both architectures.'
  return [
    finding('agent bundles', 'warn', `There is none for ${which}: such devices cannot install it from here.`, remedy),
  ]
}
