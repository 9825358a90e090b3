// Database check: reachability, permissions, and the migrations that the next start would run; with all of them, what the
// installation's rows say.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from 'pg'
import type { ServerConfig } from '../config.ts'
import { findPackage } from '../db/embedded/package.ts'
import { existingCluster } from '../db/embedded/place.ts'
import { findRunningPostgres } from '../db/embedded/supervisor.ts'
import { MIGRATIONS_FOLDER, readHistory, readMigrations, refuseContracted, refuseForeign } from '../db/migrate.ts'
import { asOwner, DatabaseRefused, type OwnerConnection, type OwnerFacts } from '../db/owner-session.ts'
import { refuseTransactionPooling } from '../db/pool/pooler.ts'
import { APP_ROLE, SYSTEM_ROLE } from '../db/roles.ts'
import { type Finding, finding, reason } from './finding.ts'
import { checkInstallation } from './installation.ts'

const CHECK = 'database'

/** @param now milliseconds since the epoch */
export async function checkDatabase(config: ServerConfig, now: number): Promise<Finding[]> {
  const url = config.settings.BOWLINE_DATABASE_URL
  try {
    return url === undefined
      ? await checkEmbedded(config, now)
      : await checkServer(url, `at ${addressOf(url)}`, config, now)
  } catch (error) {
    const remedy =
      error instanceof DatabaseRefused || url === undefined
        ? ''
        : 'Check BOWLINE_DATABASE_URL, and that PostgreSQL runs and lets this machine in.'
    return [finding(CHECK, 'fail', reason(error), remedy)]
  }
}

async function checkEmbedded(config: ServerConfig, now: number): Promise<Finding[]> {
  const { dataFolder } = config
  const { major, version } = await findPackage()
  const running = await findRunningPostgres(dataFolder)
  if (running) return checkServer(running, 'of the running server', config, now)
  const brought = `the embedded PostgreSQL ${version}`
  if ((await existingCluster(dataFolder, major)) !== undefined) {
    const message = `Not running; the next start runs ${brought} on it. Migrations can be checked only while the server runs.`
    return [finding(CHECK, 'ok', message)]
  }
  const others = (await readdir(join(dataFolder, 'postgres')).catch(() => [])).filter((name) => /^\d+-data$/.test(name))
  if (others.length === 0) return [finding(CHECK, 'ok', `The first start makes it with ${brought}.`)]
  const message = `${others.join(', ')} in ${join(dataFolder, 'postgres')} was made by another major version than ${major}.`
  const remedy = 'Make a backup with the version of Bowline that made it, and restore it here.'
  return [finding(CHECK, 'fail', message, remedy)]
}

async function checkServer(
  owner: OwnerConnection,
  where: string,
  config: ServerConfig,
  now: number,
): Promise<Finding[]> {
  return asOwner(owner, async (client, facts) => {
    await refuseTransactionPooling(owner, client)
    const message = `PostgreSQL ${facts.major} ${where} answers, and its login ${facts.user} can be used.`
    const { migrations, isComplete } = await checkMigrations(client)
    const findings = [finding(CHECK, 'ok', message), ...(await checkRoles(client, facts)), migrations]
    return isComplete ? [...findings, ...(await checkInstallation(owner, config, now))] : findings
  })
}

/** A login that may not create the working roles needs them to exist already. */
async function checkRoles(client: Client, { user }: OwnerFacts): Promise<Finding[]> {
  const { rows } = await client.query<{ may: boolean; roles: number }>(
    `select (select rolcreaterole from pg_roles where rolname = current_user) as may,
            (select count(*)::integer from pg_roles where rolname = any($1)) as roles`,
    [[APP_ROLE, SYSTEM_ROLE]],
  )
  if (rows[0]?.may || rows[0]?.roles === 2) return []
  const message = `The roles ${APP_ROLE} and ${SYSTEM_ROLE} are missing, and ${user} may not make them.`
  return [finding(CHECK, 'fail', message, `Run as an administrator: alter role ${user} createrole;`)]
}

/** `isComplete`: the tables are those of this version. */
async function checkMigrations(client: Client): Promise<{ migrations: Finding; isComplete: boolean }> {
  const incomplete = (migrations: Finding) => ({ migrations, isComplete: false })
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const { rows } = await client.query<{ has: boolean }>(
    `select to_regclass('public.schema_migrations') is not null as has`,
  )
  if (!rows[0]?.has) {
    const message = `The database is empty; the first start runs all ${migrations.length}.`
    return incomplete(finding('migrations', 'ok', message))
  }
  const applied = await readHistory(client)
  try {
    refuseForeign('The database', applied.slice(0, migrations.length), migrations)
    refuseContracted(applied.slice(migrations.length), migrations)
  } catch (error) {
    const remedy = 'Use the version of Bowline that was here before.'
    return incomplete(finding('migrations', 'fail', reason(error), remedy))
  }
  const missing = migrations.length - applied.length
  if (missing === 0) {
    return { migrations: finding('migrations', 'ok', `All ${migrations.length} were run.`), isComplete: true }
  }
  if (missing < 0) {
    const message = `A newer Bowline has run ${-missing} more than the ${migrations.length} of this one, which can run beside it.`
    return { migrations: finding('migrations', 'warn', message, 'Upgrade this node too.'), isComplete: true }
  }
  const message = `${missing} of ${migrations.length} are missing; the next start runs them.`
  const remedy = 'Make a backup first: bowline backup <file>. There is no way back.'
  return incomplete(finding('migrations', 'warn', message, remedy))
}

/** Host and database of the URL, without its password. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
