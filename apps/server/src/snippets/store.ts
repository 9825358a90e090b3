// SQL of the snippets of a namespace.
import { type Insertable, type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { Schema } from '../db/schema.ts'
import type { SharedSnippetsTable } from '../db/tables/view-tables.ts'

type Db = Kysely<Schema>
export type SnippetRow = Selectable<SharedSnippetsTable>

export function readSnippets(db: Db): Promise<SnippetRow[]> {
  return db
    .selectFrom('shared_snippets')
    .selectAll()
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .execute()
}

/** A snippet that nothing else changes until the transaction ends. */
export function lockSnippet(db: Db, id: string): Promise<SnippetRow | undefined> {
  return db.selectFrom('shared_snippets').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Locks the snippets with a tag; in a fixed order to avoid deadlocks. */
export function lockSnippetsWithTag(db: Db, tag: string): Promise<SnippetRow[]> {
  return db
    .selectFrom('shared_snippets')
    .selectAll()
    .where(sql<boolean>`${tag} = any(tags)`)
    .orderBy('id')
    .forUpdate()
    .execute()
}

export function countSnippets(db: Db): Promise<number> {
  return countRows(db.selectFrom('shared_snippets'))
}

/** @returns undefined when the namespace has a snippet with the name */
export function insertSnippet(db: Db, snippet: Insertable<SharedSnippetsTable>): Promise<SnippetRow | undefined> {
  return db
    .insertInto('shared_snippets')
    .values(snippet)
    .onConflict((conflict) => conflict.constraint('snippet_has_a_name_of_its_own').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** @param except a snippet that may have it */
export async function isNameTaken(db: Db, name: string, except: string): Promise<boolean> {
  const row = await db
    .selectFrom('shared_snippets')
    .select('id')
    .where('name', '=', name)
    .where('id', '!=', except)
    .executeTakeFirst()
  return row !== undefined
}

export function updateSnippet(db: Db, id: string, values: Updateable<SharedSnippetsTable>): Promise<SnippetRow> {
  return db.updateTable('shared_snippets').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function deleteSnippet(db: Db, id: string): Promise<void> {
  await db.deleteFrom('shared_snippets').where('id', '=', id).execute()
}
