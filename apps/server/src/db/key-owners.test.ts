// Migration of keys from before they had owners.
import { expect, it } from 'vitest'
import { MIGRATIONS_FOLDER, migrate, readMigrations } from './migrate.ts'
import { asOwner } from './owner-session.ts'
import { SYSTEM_ROLE, ensureWorkingRoles } from './roles.ts'
import { emptyDatabase } from '../testing/database.ts'

const TENANT = '11111111-1111-4111-8111-111111111111'

it('assigns migrated keys to members known to have registered them, and drops API keys of former members', async () => {
  const empty = await emptyDatabase()
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const older = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === 'key_owners'),
  )
  try {
    const found = await asOwner(empty.owner, async (client, facts) => {
      await ensureWorkingRoles(client, facts)
      await migrate(client, older)
      await client.query(`set role ${SYSTEM_ROLE}`)
      await client.query(`insert into users (id, name, username, email, status)
        select repeat(l, 24), 'name', 'user-' || l, l || '@example.com', 'confirmed' from unnest(array['a', 'b', 'c']) as l`)
      await client.query(`insert into namespaces (tenant_id, name, owner) values ('${TENANT}', 'old', repeat('a', 24))`)
      await client.query(`insert into members (tenant_id, user_id, role, status)
        values ('${TENANT}', repeat('a', 24), 'owner', 'accepted'), ('${TENANT}', repeat('b', 24), 'administrator', 'accepted')`)
      await client.query(`insert into public_keys (tenant_id, fingerprint, blob, data, name, username, hostname)
        select '${TENANT}', repeat(n || n || ':', 15) || n || n, '', '', n, '', '.*' from unnest(array['1', '2', '3', '4']) as n`)
      // Registered by a member, by a former member, by a program, and by an unknown actor.
      await client.query(`insert into audit_log (tenant_id, actor_type, actor_id, action, target)
        select '${TENANT}', kind, actor, 'public-key.create', repeat(n || n || ':', 15) || n || n
        from (values ('1', 'user', repeat('b', 24)), ('2', 'user', repeat('c', 24)), ('3', 'api-key', repeat('b', 24)))
          as made (n, kind, actor)`)
      await client.query(`insert into api_keys (tenant_id, name, key_hash, role, created_by)
        select '${TENANT}', 'of-' || l, sha256(l::bytea), 'observer', repeat(l, 24) from unnest(array['b', 'c']) as l`)
      await client.query('reset role')
      await migrate(client, migrations)
      await client.query(`set role ${SYSTEM_ROLE}`)
      const keys = await client.query('select name, left(owner, 1) as owner, service from public_keys order by name')
      const apiKeys = await client.query('select name from api_keys')
      return { keys: keys.rows as unknown[], apiKeys: apiKeys.rows as unknown[] }
    })
    expect(found).toEqual({
      keys: [
        { name: '1', owner: 'b', service: false },
        { name: '2', owner: null, service: true },
        { name: '3', owner: null, service: true },
        { name: '4', owner: null, service: true },
      ],
      apiKeys: [{ name: 'of-b' }],
    })
  } finally {
    await empty.close()
  }
})
