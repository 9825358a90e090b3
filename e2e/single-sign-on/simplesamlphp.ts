// SimpleSAMLphp, a SAML identity provider that others run too, under PHP's own web server.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@bowline/testkit/free-port'
import { type Running, run } from '../support/running.ts'
import { until } from '../support/wait.ts'

const PROGRAM = '/usr/share/simplesamlphp/www'
export const isInstalled = existsSync(PROGRAM)

/** Names of key pairs. A second one announces itself in the metadata before it signs. */
export type KeyPair = 'first' | 'second'

export interface ProviderOptions {
  /** Signs responses and assertions. */
  readonly key?: KeyPair
  /** Announced beside it. */
  readonly nextKey?: KeyPair
  readonly encrypts?: boolean
  /** Refuses requests without a valid signature of the service provider. */
  readonly needsSignedRequests?: boolean
}

export interface IdentityProvider {
  /** Metadata of the provider, for the service provider. */
  metadata(): Promise<string>
  /** Takes the service provider's metadata and the options; from the next request on. */
  configure(serviceProvider: string, options?: ProviderOptions): void
  /** What PHP and SimpleSAMLphp logged. */
  output(): string
  remove(): Promise<void>
}

/** People of the provider; the password of each is `password of <name>`. */
const PEOPLE = ['grace', 'mary', 'katherine']

/** Starts the provider on a free port of the loopback address. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-idp-'))
  const port = await freePort()
  // A site of its own would need https: browsers send no cookie with a form from another site otherwise.
  const origin = `http://localhost:${port}`
  for (const name of ['metadata', 'log', 'data', 'tmp', 'sessions']) mkdirSync(join(folder, name))
  for (const key of ['first', 'second'] satisfies KeyPair[]) makeKeyPair(folder, key)
  const file = (name: string, code: string) => writeFileSync(join(folder, name), `<?php\n${code}\n`)
  file('config.php', `$config = ${php(configuration(folder, origin))};`)
  const users = Object.fromEntries(
    PEOPLE.map((name) => [
      `${name}:password of ${name}`,
      {
        uid: [name],
        mail: [`${name}@example.com`],
        displayName: [`${name[0]?.toUpperCase()}${name.slice(1)} at the IdP`],
      },
    ]),
  )
  file('authsources.php', `$config = ['people' => ['exampleauth:UserPass', ...${php(users)}]];`)
  const configure = (serviceProvider: string, options: ProviderOptions = {}): void => {
    writeFileSync(join(folder, 'service-provider.xml'), serviceProvider)
    const hosted = php({ [`${origin}/idp`]: hostedProvider(options) })
    file('metadata/saml20-idp-hosted.php', `$metadata = ${hosted};`)
  }
  configure('<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata"/>')
  const ini = [
    '-d',
    `session.save_path=${join(folder, 'sessions')}`,
    '-d',
    'error_reporting=8181',
    '-d',
    'opcache.enable=0',
  ]
  const server: Running = run(['php', ...ini, '-S', `localhost:${port}`, '-t', PROGRAM], {
    env: { PATH: process.env['PATH'], SIMPLESAMLPHP_CONFIG_DIR: folder },
  })
  const metadata = async (): Promise<string> => {
    const response = await fetch(`${origin}/saml2/idp/metadata.php`)
    return response.ok ? response.text() : Promise.reject(new Error(`${response.status}: ${server.output()}`))
  }
  await until('the identity provider answers', () => metadata().catch(() => undefined))
  return {
    metadata,
    configure,
    output: () => server.output(),
    async remove() {
      await server.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function makeKeyPair(folder: string, name: KeyPair): void {
  const out = ['-keyout', join(folder, `${name}.pem`), '-out', join(folder, `${name}.crt`)]
  const subject = ['-subj', `/CN=${name}`, '-days', '30']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...out, ...subject], { stdio: 'pipe' })
}

function hostedProvider({ key = 'first', nextKey, encrypts, needsSignedRequests }: ProviderOptions): object {
  return {
    host: '__DEFAULT__',
    auth: 'people',
    privatekey: `${key}.pem`,
    certificate: `${key}.crt`,
    ...(nextKey ? { new_privatekey: `${nextKey}.pem`, new_certificate: `${nextKey}.crt` } : {}),
    'saml20.sign.assertion': true,
    'assertion.encryption': encrypts ?? false,
    'validate.authnrequest': needsSignedRequests ?? false,
    // Persistent names are made of this attribute, for each service provider another.
    'userid.attribute': 'uid',
  }
}

function configuration(folder: string, origin: string): object {
  return {
    baseurlpath: `${origin}/`,
    certdir: `${folder}/`,
    loggingdir: `${join(folder, 'log')}/`,
    datadir: `${join(folder, 'data')}/`,
    tempdir: join(folder, 'tmp'),
    metadatadir: `${join(folder, 'metadata')}/`,
    attributenamemapdir: '/etc/simplesamlphp/attributemap/',
    secretsalt: 'salt of a provider that exists for one test',
    'auth.adminpassword': 'nobody signs in as administrator',
    timezone: 'UTC',
    'logging.handler': 'errorlog',
    'enable.saml20-idp': true,
    'module.enable': { core: true, saml: true, exampleauth: true },
    'session.cookie.secure': false,
    'session.cookie.samesite': null,
    'store.type': 'phpsession',
    'metadata.sources': [
      { type: 'flatfile', directory: join(folder, 'metadata') },
      { type: 'xml', file: join(folder, 'service-provider.xml') },
    ],
  }
}

/** A value as PHP writes it. */
function php(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(php).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    return `[${Object.entries(value)
      .map(([key, inner]) => `${php(key)} => ${php(inner)}`)
      .join(', ')}]`
  }
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  return String(value)
}
