import { expect, it } from 'vitest'
import { summaryOf } from './summary.ts'

it.each([
  ['select "id" from "devices" where "name" = $1', 'SELECT', 'devices'],
  ['insert into "sessions" ("uid") values ($1)', 'INSERT', 'sessions'],
  ['update public.nodes set heartbeat_at = now()', 'UPDATE', 'nodes'],
  ['\n  with old as (delete from "messages" returning id) select id from old', 'WITH', 'messages'],
  ['select t.id from unnest($1::bigint[]) as t(id) join devices on true', 'SELECT', 'devices'],
])('names kind and table of %j', (text, operation, table) => {
  expect(summaryOf(text)).toEqual({ 'db.operation.name': operation, 'db.collection.name': table })
})

it('names no table where there is none, and never a word of the text', () => {
  expect(summaryOf("select pg_notify('x', 'secret')")).toEqual({ 'db.operation.name': 'SELECT' })
  expect(summaryOf('-- a comment')).toEqual({ 'db.operation.name': 'OTHER' })
})
