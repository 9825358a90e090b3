/**
 * A value that is made when it is first needed. For formatters of `Intl`, which take the browser milliseconds each to make:
 * made when their module is imported, they delay the first page.
 */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
