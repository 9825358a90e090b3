// The type of columns with JSON.

/** A JSON object. Top-level arrays are excluded on purpose: `pg` would send them as PostgreSQL arrays. */
export type JsonObject = { readonly [key: string]: unknown }
