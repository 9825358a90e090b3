// The log as code sees it. Each program has its own list of event names, `<area>.<event>`, so that a search finds every
// occurrence; the values are ids, counts and causes – never credentials or user input.

export type LogFields = Readonly<Record<string, unknown>>

/** @template Event names that the program logs */
export interface Log<Event extends string> {
  debug(ev: Event, fields?: LogFields): void
  info(ev: Event, fields?: LogFields): void
  warn(ev: Event, fields?: LogFields): void
  error(ev: Event, fields?: LogFields): void
  /** A log whose lines all carry `fields`. */
  child(fields: LogFields): Log<Event>
}
