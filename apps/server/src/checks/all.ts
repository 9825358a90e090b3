// Checks for everything that would make a start of the server fail, and for the state of the installation that is there;
// starts and writes nothing.
import { ConfigError } from '@bowline/contract/config'
import { readConfig, type ServerConfig } from '../config.ts'
import { CONSOLE_NOT_BUILT, isBuilt } from '../http/files/static.ts'
import { productFolders } from '../platform/folders.ts'
import { createS3Client } from '../platform/s3/client.ts'
import { checkCertificate } from './certificate.ts'
import { checkContradictions } from './contradictions.ts'
import { checkDatabase } from './database.ts'
import { existingFiles } from './existing-files.ts'
import { type Finding, finding, reason } from './finding.ts'
import { checkBundles, checkFiles } from './host.ts'
import { checkMail } from './mail.ts'
import { checkDomain, checkPorts } from './network.ts'
import { checkPublicAddress } from './public-address.ts'
import { checkRedis } from './redis.ts'
import { checkDataFolder, checkRoom } from './storage.ts'

const STORE_TIMEOUT_MS = 10_000

/**
 * Checks the settings and, if they are valid, everything they refer to.
 * @param now milliseconds since the epoch
 */
export async function checkEverything(
  env: Readonly<Record<string, string | undefined>>,
  now: number,
): Promise<Finding[]> {
  let config: ServerConfig
  try {
    config = await readConfig(env, existingFiles)
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [reason(error)]
    return problems.map((problem) => finding('settings', 'fail', problem, 'Correct the setting and check again.'))
  }
  const parts = await Promise.all([
    checkDataFolder(config),
    checkDatabase(config, now),
    checkCertificate(config, now),
    checkPorts(config),
    checkDomain(config.settings.BOWLINE_DOMAIN),
    checkRoom(config),
    checkStore(config),
    checkMail(config),
    checkRedis(config),
    checkConsole(),
    checkBundles(),
    checkFiles(config),
    checkPublicAddress(config),
  ])
  const settings = checkContradictions(config)
  if (settings.length === 0) settings.push(finding('settings', 'ok', 'Every setting is known and valid.'))
  return [...settings, ...parts.flat()]
}

async function checkStore({ objectStore }: ServerConfig): Promise<Finding[]> {
  if (!objectStore) return []
  const where = `${objectStore.bucket} at ${objectStore.endpoint.origin}`
  try {
    await (await createS3Client(objectStore, AbortSignal.timeout(STORE_TIMEOUT_MS))).check()
    return [finding('S3 store', 'ok', `The bucket ${where} answers.`)]
  } catch (error) {
    const remedy = 'Check BOWLINE_S3_ENDPOINT, the bucket and the access key. Recordings wait on the disk meanwhile.'
    return [finding('S3 store', 'fail', `The bucket ${where} cannot be listed: ${reason(error)}`, remedy)]
  }
}

async function checkConsole(): Promise<Finding[]> {
  if (await isBuilt(productFolders().console)) return [finding('console', 'ok', 'The console is built.')]
  const [message = '', remedy = ''] = CONSOLE_NOT_BUILT.split(/: (.*)/s)
  return [finding('console', 'warn', `${message}.`, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`)]
}
