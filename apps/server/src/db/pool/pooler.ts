// Detects a connection pooler that shares one server connection among clients between transactions (PgBouncer's
// pool_mode transaction or statement). Behind one, the tenant set on a connection would apply to the next client, so
// such an address is refused. Session pooling is fine.
import { Client } from 'pg'
import { clientConfig, DatabaseRefused, type OwnerConnection } from '../owner-session.ts'

const ROUNDS = 3

/**
 * @param client an open connection to `owner`, outside a transaction
 * @throws {DatabaseRefused} when two connections share a server process
 */
export async function refuseTransactionPooling(owner: OwnerConnection, client: Client): Promise<void> {
  const second = new Client(clientConfig(owner, 'bowline-owner'))
  second.on('error', () => undefined)
  await second.connect()
  try {
    if (
      await keepTheirProcesses(
        () => serverProcess(client),
        () => serverProcess(second),
      )
    )
      return
  } finally {
    await second.end()
  }
  throw new DatabaseRefused(
    'The database URL leads to a connection pooler that shares connections between transactions; that would mix up ' +
      'namespaces. Use the address of PostgreSQL itself, or set the pooler to pool by session.',
  )
}

/**
 * Checks that two connections, used alternately, each keep a separate server process.
 * @param first returns the process id behind the first connection
 */
export async function keepTheirProcesses(
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<boolean> {
  const [own, other] = [await first(), await second()]
  for (let round = 1; round < ROUNDS; round += 1) {
    if ((await first()) !== own || (await second()) !== other) return false
  }
  return own !== other
}

async function serverProcess(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}
