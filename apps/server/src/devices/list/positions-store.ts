// SQL of the map: cells of a grid with the number of devices in each.
import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { online } from '../../db/lists/online.ts'
import type { Schema } from '../../db/schema.ts'
import { latitude, longitude } from './cells-store.ts'
import { type DeviceScope, matching } from './store.ts'

/** Degrees. West may be beyond east: then the box crosses the line at 180 degrees. */
export interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

export interface CellRow {
  readonly kind: 'cell' | 'outside' | 'unknown'
  /** Number of the cell, counted from 0 degrees; null for what is no cell. */
  readonly row: number | null
  readonly column: number | null
  readonly latitude: number
  readonly longitude: number
  readonly online: number
  readonly devices: number
  /** Devices in all cells, also in those beyond the limit. */
  readonly all: number
}

/**
 * What is in no cell first, then the cells with the most devices.
 * @param step size of a cell in degrees
 * @param limit of cells
 */
export async function countPositions(
  db: Kysely<Schema>,
  scope: DeviceScope,
  { step, box, limit }: { readonly step: number; readonly box: Box | undefined; readonly limit: number },
): Promise<readonly CellRow[]> {
  const devices = matching(db, scope).select([latitude.as('y'), longitude.as('x'), online.as('is_online')])
  const size = sql`${step}::double precision`
  const { rows } = await sql<CellRow>`
    select kind, row, "column", avg(y) as latitude, avg(x) as longitude,
        count(*) filter (where is_online)::integer as online, count(*)::integer as devices,
        coalesce(sum(count(*)) filter (where kind = 'cell') over (), 0)::integer as all
      from (
        select y, x, is_online, kind,
            case when kind = 'cell' then floor(y / ${size})::integer end as row,
            case when kind = 'cell' then floor(x / ${size})::integer end as "column"
          from (
            select y, x, is_online, case when y = 0 and x = 0 then 'unknown'
                when ${box ? inBox(box) : sql`true`} then 'cell' else 'outside' end as kind
              from (${devices}) as found
          ) as judged
      ) as placed
      group by kind, row, "column"
      order by kind = 'cell', devices desc, row, "column"
      limit ${limit + 2}`.execute(db)
  return rows
}

function inBox({ west, south, east, north }: Box): Expression<SqlBool> {
  const wide = west <= east ? sql<SqlBool>`x between ${west} and ${east}` : sql<SqlBool>`(x >= ${west} or x <= ${east})`
  return sql<SqlBool>`(y between ${south} and ${north} and ${wide})`
}
