// The filter of lists: base64 of a JSON array of conditions and the operators between them.
import * as z from 'zod'

/** `ne` and `ncontains` are the opposites of `eq` and `contains`: they hold for what has no value, too. */
export const FILTER_OPERATORS = ['contains', 'ncontains', 'eq', 'ne', 'bool', 'gt', 'lt'] as const

const Scalar = z.union([z.string().max(1_024), z.number(), z.boolean()])

export const FilterItem = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('property'),
    params: z.object({
      name: z.string().min(1).max(64),
      operator: z.enum(FILTER_OPERATORS),
      value: z.union([Scalar, z.array(Scalar).max(32)]),
    }),
  }),
  z.object({ type: z.literal('operator'), params: z.object({ name: z.enum(['and', 'or']) }) }),
])

/** Each condition reads every row of the list. */
export const MAX_CONDITIONS = 20

/** The grammar has no nesting. */
export const Filter = z
  .array(FilterItem)
  .max(64)
  .refine(
    (items) => items.filter(({ type }) => type === 'property').length <= MAX_CONDITIONS,
    `must have at most ${MAX_CONDITIONS} conditions`,
  )
export type Filter = z.infer<typeof Filter>

/**
 * The query parameter as sent; base64 or base64url, padded or not. Decoded and compiled by the server. The longest one
 * fits into a request head (16 KiB) even when every character is percent-encoded.
 */
export const FilterText = z
  .string()
  .max(4_096, 'must have at most 4096 characters')
  .meta({ pattern: '^[A-Za-z0-9+/_-]*={0,2}$' })
  .optional()
