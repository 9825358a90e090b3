/**
 * Stands in built documentation where the address of its server belongs: canonical and alternate links, social metadata,
 * the site map, llms.txt. The server puts in its own when it sends a file. A name that can never be resolved (RFC 6761
 * section 6.4), so that a copy that was not served says so.
 */
export const DOCS_ORIGIN = 'https://docs-origin.invalid'
