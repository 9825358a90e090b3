// Server configuration: the contract's settings and what derives from them. Read once at start.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ConfigError, type ServerSettings, parseSettings } from '@bowline/contract/config'
import type { StripeSettings } from './billing/provider/stripe.ts'
import { stripeSettings } from './billing/settings.ts'
import { type AcmeSettings, readAcmeSettings } from './certificates/settings.ts'
import { type Overrides, readOverrides } from './mails/render/overrides.ts'
import { type SmtpSettings, readMailSettings } from './mails/settings.ts'
import { addressRanges, isLoopback } from './platform/network/address.ts'
import { followMachineNames, knownHosts } from './platform/network/known-hosts.ts'
import { recordingsFolder } from './recordings/folder.ts'
import { readStoreSettings } from './platform/s3/settings.ts'
import type { S3Settings } from './platform/s3/client.ts'
import { type TlsMaterial, publicKeyPin, selfSignedCertificate } from './platform/network/certificate.ts'
import { publicOrigin } from './platform/network/public-host.ts'
import { isTunnelHost } from './platform/network/tunnel-addresses.ts'
import { NO_POSITIONS, type Positions, openPositions } from './platform/positions.ts'
import { readSecretFile } from './platform/secrets/secret-file.ts'
import { SecretKey, secretKeyFromFile } from './platform/secrets/seal.ts'

export interface ServerConfig extends Positions {
  readonly settings: ServerSettings
  /** Absolute. */
  readonly dataFolder: string
  readonly secretKey: SecretKey
  /** Authorizes internal calls: the setting, or node.secret of the data folder. */
  readonly nodeSecret: string
  /** With ACME what the listener shows until the authority has issued a certificate. */
  readonly tls: TlsMaterial | undefined
  /** undefined: no authority issues certificates. */
  readonly acme: AcmeSettings | undefined
  /**
   * Origin of the console for links that leave the server, such as `https://bowline.example.com`; undefined without
   * BOWLINE_DOMAIN and BOWLINE_PUBLIC_URL. Never taken from a request.
   */
  readonly publicOrigin: string | undefined
  /** undefined: no mail server is set, and no mail is sent. */
  readonly smtp: SmtpSettings | undefined
  /** Texts of mails of the operator's own. */
  readonly mailTexts: Overrides
  /** undefined: nobody can subscribe. */
  readonly stripe: StripeSettings | undefined
  /** Pin of a self-signed certificate; '' when the certificate is the operator's or there is none. */
  readonly pin: string
  /** Where recordings are written. */
  readonly recordingsFolder: string
  /** Destination of finished recordings; undefined: they stay in the data folder. */
  readonly objectStore: S3Settings | undefined
  readonly isTrustedProxy: (address: string) => boolean
  /** True for host names of this server that requests may use. */
  readonly isKnownHost: (host: string) => boolean
  /** Sources that may read the metrics without the node secret. */
  readonly mayReadMetrics: (address: string) => boolean
  /** Sources exempt from connection and rate limits. */
  readonly isExemptSource: (address: string) => boolean
}

/** Files of the data folder that the server creates for itself. */
export interface OwnFiles {
  secretKey(file: string): Promise<SecretKey>
  nodeSecret(file: string): Promise<string>
  /** @returns undefined when it does not exist */
  certificate(folder: string, names: readonly string[]): Promise<TlsMaterial | undefined>
}

/** Creates the missing ones. */
const createdFiles: OwnFiles = {
  secretKey: secretKeyFromFile,
  nodeSecret: readSecretFile,
  certificate: selfSignedCertificate,
}

/**
 * Reads the environment and the files it names.
 * @param files access to the server's own files
 * @throws {ConfigError} naming each invalid setting and its rule
 */
export async function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  files: OwnFiles = createdFiles,
): Promise<ServerConfig> {
  const settings = parseSettings('server', env)
  const dataFolder = resolve(settings.BOWLINE_DATA_DIR)
  const ranges = (name: 'BOWLINE_TRUSTED_PROXIES' | 'BOWLINE_UNCOUNTED_SOURCES' | 'BOWLINE_METRICS_SOURCES') => {
    try {
      return addressRanges(settings[name])
    } catch (error) {
      throw new ConfigError([`${name}: ${error instanceof Error ? error.message : String(error)}`])
    }
  }
  const isTrustedProxy = ranges('BOWLINE_TRUSTED_PROXIES')
  const { BOWLINE_DOMAIN: domain = '', BOWLINE_TUNNELS_DOMAIN: tunnels, BOWLINE_PUBLIC_URL: url } = settings
  if (isTunnelHost(domain, tunnels)) {
    throw new ConfigError([`BOWLINE_TUNNELS_DOMAIN: ${domain} is this server's own name and must not be below it.`])
  }
  if (settings.BOWLINE_TUNNELS_TLS_PORT !== undefined && tunnels === undefined) {
    throw new ConfigError(['BOWLINE_TUNNELS_TLS_PORT needs BOWLINE_TUNNELS_DOMAIN.'])
  }
  if (settings.BOWLINE_NODE_ADDRESS !== undefined && settings.BOWLINE_DATABASE_URL === undefined) {
    throw new ConfigError(['BOWLINE_NODE_ADDRESS needs BOWLINE_DATABASE_URL: all nodes share one database.'])
  }
  const keepsRecordingsApart =
    settings.BOWLINE_S3_ENDPOINT === undefined && settings.BOWLINE_RECORDINGS_DIR === undefined
  if (settings.BOWLINE_NODE_ADDRESS !== undefined && keepsRecordingsApart) {
    throw new ConfigError([
      'BOWLINE_NODE_ADDRESS needs BOWLINE_S3_ENDPOINT, or BOWLINE_RECORDINGS_DIR with a folder that all nodes share: every node must be able to play a recording.',
    ])
  }
  if (settings.BOWLINE_NODE_PORT !== undefined && settings.BOWLINE_NODE_ADDRESS === undefined) {
    throw new ConfigError(['BOWLINE_NODE_PORT needs BOWLINE_NODE_ADDRESS.'])
  }
  if (settings.BOWLINE_REDIS_URL !== undefined && settings.BOWLINE_DATABASE_URL === undefined) {
    throw new ConfigError([
      'BOWLINE_REDIS_URL needs BOWLINE_DATABASE_URL: a server with its own database has no use for it.',
    ])
  }
  const acme = await readAcmeSettings(settings)
  const { tls, pin } = await readTls(settings, dataFolder, files, acme !== undefined)
  const origin = publicOrigin(settings, tls !== undefined)
  return {
    settings,
    dataFolder,
    secretKey: await readSecretKey(settings, dataFolder, files),
    nodeSecret: await readNodeSecret(settings, dataFolder, files),
    tls,
    acme,
    publicOrigin: origin,
    smtp: await readMailSettings(settings, origin),
    mailTexts: await readOverrides(settings.BOWLINE_MAIL_TEMPLATES),
    stripe: stripeSettings(settings),
    pin,
    ...(await readPositions(settings.BOWLINE_GEOIP_FILE)),
    recordingsFolder: recordingsFolder(settings, dataFolder),
    objectStore: await readStoreSettings(settings),
    isTrustedProxy,
    isKnownHost: knownHosts({
      domain: settings.BOWLINE_DOMAIN,
      tunnelsDomain: settings.BOWLINE_TUNNELS_DOMAIN,
      // A proxy passes the name on under which people open the console.
      allowed: [...settings.BOWLINE_ALLOWED_HOSTS, ...(url === undefined ? [] : [new URL(url).host])],
      certificate: tls?.cert,
      machine: followMachineNames(),
    }),
    mayReadMetrics: ranges('BOWLINE_METRICS_SOURCES'),
    isExemptSource: ranges('BOWLINE_UNCOUNTED_SOURCES'),
  }
}

/** @throws {ConfigError} when the stored secret is too short */
async function readNodeSecret(settings: ServerSettings, dataFolder: string, files: OwnFiles): Promise<string> {
  if (settings.BOWLINE_NODE_SECRET) return settings.BOWLINE_NODE_SECRET
  const file = join(dataFolder, 'node.secret')
  const secret = await files.nodeSecret(file)
  if (secret.length < 16)
    throw new ConfigError([`${file} must hold at least 16 characters; remove it to get a new one.`])
  return secret
}

async function readPositions(file: string | undefined): Promise<Positions> {
  if (file === undefined) return NO_POSITIONS
  return openPositions(file).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException
    const why = code === undefined ? 'cannot be read as an MMDB file' : `cannot be read (${code})`
    throw new ConfigError([`BOWLINE_GEOIP_FILE: ${file} ${why}.`])
  })
}

/**
 * Key that opens the platform's secrets. Required with an external database: a key file of one node would lock out the
 * others.
 * @throws {ConfigError} when it is missing
 */
export async function readSecretKey(
  settings: ServerSettings,
  dataFolder: string,
  files: Pick<OwnFiles, 'secretKey'> = createdFiles,
): Promise<SecretKey> {
  if (settings.BOWLINE_SECRET_KEY) return new SecretKey(settings.BOWLINE_SECRET_KEY)
  if (settings.BOWLINE_DATABASE_URL) {
    throw new ConfigError(['BOWLINE_SECRET_KEY is required together with BOWLINE_DATABASE_URL.'])
  }
  return files.secretKey(join(dataFolder, 'secret.key'))
}

/**
 * The operator's certificate, or a self-signed one when other machines can connect and no proxy terminates TLS. Nobody
 * pins one that an authority's will replace.
 */
async function readTls(
  settings: ServerSettings,
  dataFolder: string,
  files: OwnFiles,
  isReplaced: boolean,
): Promise<{ tls: TlsMaterial | undefined; pin: string }> {
  const { BOWLINE_TLS_CERT_FILE: certFile, BOWLINE_TLS_KEY_FILE: keyFile } = settings
  if (certFile || keyFile) {
    if (!certFile || !keyFile) {
      throw new ConfigError(['BOWLINE_TLS_CERT_FILE and BOWLINE_TLS_KEY_FILE are needed together.'])
    }
    const read = (name: string, file: string) =>
      readFile(file, 'utf8').catch((error: unknown) => {
        throw new ConfigError([`${name}: ${file} cannot be read (${String((error as NodeJS.ErrnoException).code)}).`])
      })
    const cert = await read('BOWLINE_TLS_CERT_FILE', certFile)
    return { tls: { cert, key: await read('BOWLINE_TLS_KEY_FILE', keyFile) }, pin: '' }
  }
  if ((isLoopback(settings.BOWLINE_HOST) && !isReplaced) || settings.BOWLINE_TRUSTED_PROXIES.length > 0)
    return { tls: undefined, pin: '' }
  const names = ['localhost', '127.0.0.1', ...(settings.BOWLINE_DOMAIN ? [settings.BOWLINE_DOMAIN] : [])]
  if (settings.BOWLINE_TUNNELS_DOMAIN) names.push(`*.${settings.BOWLINE_TUNNELS_DOMAIN}`)
  const tls = await files.certificate(dataFolder, names)
  return { tls, pin: tls && !isReplaced ? publicKeyPin(tls.cert) : '' }
}
