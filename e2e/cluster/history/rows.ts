// What the rows of a database become, kept by triggers in a schema of their own: nothing between two looks is missed,
// and a standby gets it with everything else.
import type { Postgres } from '../../support/postgres.ts'
import type { Change } from './history.ts'

/** Nodes come before the links that name them. */
const TABLES = [
  ['node', 'nodes', 'insert or delete or update of life, lost_at'],
  ['link', 'devices', 'update of link_node, link_epoch, disconnected_at'],
  ['session', 'sessions', 'insert or update of closed_at'],
  ['recording', 'recordings', 'insert or update of state'],
] as const

const KEEP = `
  create schema history;
  create table history.changes (
    seq bigint generated always as identity primary key, at timestamptz not null default clock_timestamp(),
    what text not null, op text not null, was jsonb not null);
  create function history.keep() returns trigger language plpgsql security definer set search_path = pg_temp as $$
    begin
      insert into history.changes (what, op, was)
        values (tg_argv[0], tg_op, case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end);
      return null;
    end $$;
  ${TABLES.map(
    ([what, table, when]) => `
  create trigger history after ${when} on public.${table} for each row execute function history.keep('${what}');
  insert into history.changes (what, op, was) select '${what}', 'INSERT', to_jsonb(one) from public.${table} one;`,
  ).join('')}`

const READ = `
  select coalesce(json_agg(json_build_object('what', what, 'op', op, 'at', extract(epoch from at) * 1000,
    'was', was - 'info' - 'public_key') order by seq), '[]') from history.changes`

interface Row {
  readonly what: Change['what']
  readonly op: 'INSERT' | 'UPDATE' | 'DELETE'
  readonly at: number
  readonly was: Readonly<Record<string, string | number | null>>
}

/** Begins to keep them; the rows that are there already count as first. */
export function keepChanges(postgres: Postgres, database: string): void {
  postgres.sql(KEEP, database)
}

/** All changes so far. @throws {Error} when the database does not answer */
export function readChanges(postgres: Postgres, database: string): Change[] {
  return (JSON.parse(postgres.sql(READ, database)) as Row[]).map(toChange)
}

function toChange({ what, op, at, was }: Row): Change {
  const text = (column: string): string => String(was[column] ?? '')
  if (what === 'link') {
    const node = was['disconnected_at'] === null ? text('link_node') : ''
    return { what, at, device: text('uid'), node, epoch: Number(was['link_epoch']) }
  }
  if (what === 'node') {
    const change = op === 'DELETE' ? 'left' : was['lost_at'] === null ? 'entered' : 'lost'
    return { what, at, node: text('id'), change }
  }
  if (what === 'session') {
    const closed = was['closed_at'] === null ? undefined : `${text('cause_by')} ${text('cause_reason')}`
    return { what, at, uid: text('uid'), node: text('node'), closed }
  }
  return { what, at, session: text('session_uid'), isSealed: was['state'] !== 'recording' }
}
