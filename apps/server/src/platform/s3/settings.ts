// Reads the settings of the S3 store and checks that they are complete.
import { readFile } from 'node:fs/promises'
import { ConfigError, type ServerSettings } from '@bowline/contract/config'
import type { S3Settings } from './client.ts'

const OPTIONAL = ['BOWLINE_S3_BUCKET', 'BOWLINE_S3_PREFIX', 'BOWLINE_S3_ACCESS_KEY_ID'] as const
const SECRETS = ['BOWLINE_S3_SECRET_ACCESS_KEY', 'BOWLINE_S3_SECRET_ACCESS_KEY_FILE'] as const

/**
 * @returns undefined when there is no store
 * @throws {ConfigError} naming each setting that is missing or needs others
 */
export async function readStoreSettings(settings: ServerSettings): Promise<S3Settings | undefined> {
  const endpoint = settings.BOWLINE_S3_ENDPOINT
  if (endpoint === undefined) {
    const alone = [...OPTIONAL, ...SECRETS].filter((name) => settings[name] !== undefined)
    if (alone.length > 0) throw new ConfigError(alone.map((name) => `${name} needs BOWLINE_S3_ENDPOINT.`))
    return undefined
  }
  const { BOWLINE_S3_BUCKET: bucket, BOWLINE_S3_ACCESS_KEY_ID: accessKeyId } = settings
  const given = SECRETS.filter((name) => settings[name] !== undefined)
  const problems = [
    ...(bucket === undefined ? ['BOWLINE_S3_BUCKET is required together with BOWLINE_S3_ENDPOINT.'] : []),
    ...(accessKeyId === undefined ? given.map((name) => `${name} needs BOWLINE_S3_ACCESS_KEY_ID.`) : []),
    ...(accessKeyId !== undefined && given.length === 0
      ? [`${SECRETS[0]} or ${SECRETS[1]} is required together with BOWLINE_S3_ACCESS_KEY_ID.`]
      : []),
    ...(given.length > 1 ? [`${SECRETS[0]} and ${SECRETS[1]} exclude each other.`] : []),
  ]
  if (bucket === undefined || problems.length > 0) throw new ConfigError(problems)
  return {
    endpoint: new URL(endpoint),
    region: settings.BOWLINE_S3_REGION,
    bucket,
    prefix: settings.BOWLINE_S3_PREFIX ?? '',
    pathStyle: settings.BOWLINE_S3_PATH_STYLE === 'on',
    credentials: accessKeyId === undefined ? undefined : { accessKeyId, secretAccessKey: await readSecret(settings) },
  }
}

async function readSecret(settings: ServerSettings): Promise<string> {
  const { BOWLINE_S3_SECRET_ACCESS_KEY: inline, BOWLINE_S3_SECRET_ACCESS_KEY_FILE: file = '' } = settings
  if (inline !== undefined) return inline
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError([`${SECRETS[1]}: ${file} cannot be read (${String(code)}).`])
  })
  const secret = text.trim()
  if (secret === '') throw new ConfigError([`${SECRETS[1]}: ${file} is empty.`])
  return secret
}
