// SQL of the tags in use: on devices and on what is for devices with a tag, not rows of their own.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** Every tag in use, once, those of devices first. */
export async function listTags(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ tag: string }>`
    select tag from (
      select 1 as place, unnest(tags) as tag from devices
      union all select 2, unnest(tags) from public_keys
      union all select 3, unnest(tags) from firewall_rules
      union all select 4, unnest(tags) from install_keys
      union all select 5, unnest(tags) from alert_rules
      union all select 6, unnest(tags) from shared_snippets
      union all select 7, unnest(tags) from namespace_roles
      union all select 8, tag from tag_rules
      union all select 9, canary_tag from agent_update_policies where canary_tag is not null
    ) as used group by tag order by min(place), tag`.execute(db)
  return rows.map((row) => row.tag)
}

/** Subset of `tags` in use. */
export async function findUsed(db: Kysely<Schema>, tags: readonly string[]): Promise<Set<string>> {
  const used = new Set(await listTags(db))
  return new Set(tags.filter((tag) => used.has(tag)))
}
