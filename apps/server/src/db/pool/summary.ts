// Attributes of a statement in a trace, named by OpenTelemetry's conventions for databases: its kind and first table.
// Never its text or parameters, which have names and addresses in them.

const OPERATION = /^\s*(?<word>[a-z]+)/i
const TABLE = /\b(?:from|into|update|join)\s+(?:"?public"?\.)?"?(?<name>[a-z_][a-z0-9_]*)\b"?(?!\s*\()/i

/** @param text of the statement, with placeholders */
export function summaryOf(text: string): { 'db.operation.name': string; 'db.collection.name'?: string } {
  const operation = OPERATION.exec(text)?.groups?.['word']?.toUpperCase() ?? 'OTHER'
  const table = TABLE.exec(text)?.groups?.['name']
  return { 'db.operation.name': operation, ...(table === undefined ? {} : { 'db.collection.name': table }) }
}
