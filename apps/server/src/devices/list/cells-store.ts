// SQL of a cell of the map: where devices are, and the condition for those in it.
import { MAP_STEPS } from '@bowline/contract/schemas/device'
import { type Expression, type SqlBool, sql } from 'kysely'

/** What a person has set wins over what the address tells. */
export const latitude = sql<number>`coalesce(devices.placed_latitude, devices.latitude)`
export const longitude = sql<number>`coalesce(devices.placed_longitude, devices.longitude)`

/** Numbers of the cell and its size in degrees, as filters name it. */
const CELL = /^(-?\d{1,5}):(-?\d{1,5}):(\d[\d.]{0,4})$/

export function nameOfCell(row: number, column: number, step: string): string {
  return `${row}:${column}:${step}`
}

/** Condition for the devices of a cell; undefined for what is no cell. */
export function inCell(name: string): Expression<SqlBool> | undefined {
  const [, row, column, step = ''] = CELL.exec(name) ?? []
  if (!MAP_STEPS.some((known) => known === step)) return undefined
  const size = sql`${Number(step)}::double precision`
  return sql<SqlBool>`(floor(${latitude} / ${size}) = ${Number(row)} and floor(${longitude} / ${size}) = ${Number(column)}
    and not (${latitude} = 0 and ${longitude} = 0))`
}
