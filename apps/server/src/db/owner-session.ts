// The owner's connection: the login that owns the tables, used to check the server and to migrate. Invariant: nothing
// runs on a PostgreSQL or with a login that would bypass row-level security.
import { Client, type ClientConfig } from 'pg'

/** Address of PostgreSQL: in parts (`host` may be a socket folder) or as a `postgres://` URL. */
export type OwnerConnection =
  | {
      readonly host: string
      readonly port: number
      readonly user: string
      readonly password: string
      readonly database: string
    }
  | string

/** The database is unsuitable; the message says what an administrator must change. */
export class DatabaseRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DatabaseRefused'
  }
}

const MIN_MAJOR = 15
const CONNECT_TIMEOUT_MS = 10_000

/** Properties of a server and a login. */
export interface OwnerFacts {
  readonly user: string
  readonly database: string
  /** 15, 16, … */
  readonly major: number
  readonly encoding: string
  readonly superuser: boolean
  readonly bypassesRowSecurity: boolean
  /** True if the login can create tables in the schema `public`. */
  readonly mayCreate: boolean
}

/** Connection settings of `pg` for `owner`; `application_name` appears in pg_stat_activity. */
export function clientConfig(owner: OwnerConnection, applicationName: string): ClientConfig {
  const address = typeof owner === 'string' ? { connectionString: owner } : owner
  return { ...address, application_name: applicationName, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true }
}

/**
 * Runs `work` on a connection of the owner, which is closed afterwards.
 * @throws {DatabaseRefused} see {@link whyRefused}
 */
export async function asOwner<T>(
  owner: OwnerConnection,
  work: (client: Client, facts: OwnerFacts) => Promise<T>,
): Promise<T> {
  const client = new Client(clientConfig(owner, 'bowline-owner'))
  // Without a listener a connection lost between two queries would crash the process; the next query reports it.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const facts = await readFacts(client)
    const refusal = whyRefused(facts)
    if (refusal !== undefined) throw new DatabaseRefused(refusal)
    return await work(client, facts)
  } finally {
    await client.end()
  }
}

async function readFacts(client: Client): Promise<OwnerFacts> {
  const { rows } = await client.query<OwnerFacts>(
    `select current_user as user, current_database() as database,
            current_setting('server_version_num')::integer / 10000 as major,
            current_setting('server_encoding') as encoding,
            rolsuper as superuser, rolbypassrls as "bypassesRowSecurity",
            coalesce(has_schema_privilege(current_user, to_regnamespace('public'), 'create'), false) as "mayCreate"
     from pg_roles where rolname = current_user`,
  )
  if (!rows[0]) throw new DatabaseRefused('The login of the database URL has no entry in pg_roles.')
  return rows[0]
}

/**
 * Reason why a database is unsuitable, with the SQL that fixes it; undefined if it is suitable. Superusers and
 * BYPASSRLS ignore row-level security, and before PostgreSQL 15 everybody may create objects in the schema `public`.
 */
export function whyRefused(facts: OwnerFacts): string | undefined {
  const [user, database] = [quoteIdentifier(facts.user), quoteIdentifier(facts.database)]
  const ownDatabase = `alter database ${database} owner to`
  if (facts.major < MIN_MAJOR) {
    return `Bowline needs PostgreSQL ${MIN_MAJOR} or newer; this server is PostgreSQL ${facts.major}.`
  }
  if (facts.superuser) {
    return (
      `The database login ${user} is a superuser, whom no isolation between namespaces can bind. Use a login of its ` +
      `own: create role bowline login createrole password '…'; ${ownDatabase} bowline;`
    )
  }
  if (facts.bypassesRowSecurity) {
    return (
      `The database login ${user} has BYPASSRLS, which switches off the isolation between namespaces. ` +
      `Run as an administrator: alter role ${user} nobypassrls;`
    )
  }
  if (facts.encoding !== 'UTF8') {
    return `The database ${database} has the encoding ${facts.encoding}; Bowline needs UTF8.`
  }
  if (!facts.mayCreate) {
    return `The database login ${user} may not create tables. Run as an administrator: ${ownDatabase} ${user};`
  }
  return undefined
}

/** Quotes `name` as an SQL identifier. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
