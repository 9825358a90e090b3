// SQL of the tags of devices: lists, not rows of their own.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** Renames a tag on every device. */
export async function renameDeviceTag(db: Kysely<Schema>, from: string, to: string): Promise<void> {
  await sql`update devices set tags = array_replace(tags, ${from}, ${to}) where ${from} = any(tags)`.execute(db)
}

/** Removes a tag from every device. */
export async function removeDeviceTag(db: Kysely<Schema>, tag: string): Promise<void> {
  await sql`update devices set tags = array_remove(tags, ${tag}) where ${tag} = any(tags)`.execute(db)
}
