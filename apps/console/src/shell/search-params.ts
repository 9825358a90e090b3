// Search parameters as people type them: plain texts, a list as its name repeated.

type Parameters = Record<string, string | string[]>

/** Parses `?a=1&b=x&b=y`: texts, and for a name that occurs more than once a list. */
export function parseSearch(text: string): Parameters {
  const parameters = new URLSearchParams(text)
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name)
      return [name, values.length > 1 ? values : (values[0] ?? '')]
    }),
  )
}

/** Opposite of {@link parseSearch}; undefined values are left out. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(search).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((each) => (each === undefined ? [] : [[name, String(each)]])),
  )
  return entries.length ? `?${new URLSearchParams(entries)}` : ''
}
