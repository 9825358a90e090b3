// Parsers of numeric settings.
import * as z from 'zod'

/** A whole number within bounds. */
export const whole = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^-?\d{1,9}$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `must be a whole number from ${minimum} to ${maximum}`)
/** A port to listen on; 0: any free one. */
export const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number, 0 to 65535')
  .transform(Number)
  .refine((value) => value <= 65_535, 'must be a port number, 0 to 65535')
/** `start:rate:full` of random early drop, the rate in percent; a number alone is a fixed limit. */
export const dropCurve = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text, context) => {
      const [, start, rate, full] = /^(\d{1,6})(?::(\d{1,3}):(\d{1,6}))?$/.exec(text)?.map(Number) ?? []
      const curve = Number.isNaN(full) ? { start, rate: 1, full: start } : { start, rate: (rate ?? 0) / 100, full }
      if (curve.start && curve.full && curve.start <= curve.full && curve.rate <= 1) {
        return { start: curve.start, rate: curve.rate, full: curve.full }
      }
      context.addIssue('must be start:rate:full such as 100:30:200, rate in percent, or a number')
      return z.NEVER
    })
