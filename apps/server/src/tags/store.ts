// SQL of tags: they are lists on devices, public keys and firewall rules, not rows of their own.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** Puts another tag in the place of one on every device. */
export async function renameDeviceTag(db: Kysely<Schema>, from: string, to: string): Promise<void> {
  await sql`update devices set tags = array_replace(tags, ${from}, ${to}) where ${from} = any(tags)`.execute(db)
}

/** Takes a tag off every device. */
export async function removeDeviceTag(db: Kysely<Schema>, tag: string): Promise<void> {
  await sql`update devices set tags = array_remove(tags, ${tag}) where ${tag} = any(tags)`.execute(db)
}
