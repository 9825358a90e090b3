// The answer of every list of the API.

/** One page of a list, and how many rows there are in all: the header `X-Total-Count`. */
export interface Listing<T> {
  readonly items: readonly T[]
  readonly total: number
}
