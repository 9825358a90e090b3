// Result type of every list of the API.

/** One page of a list, and the total number of rows: the header `X-Total-Count`. */
export interface Listing<T> {
  readonly items: readonly T[]
  readonly total: number
}
