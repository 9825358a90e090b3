/**
 * Placeholder for the server's origin in built documentation: canonical and alternate links, social metadata, the site
 * map, llms.txt. The server substitutes its own when it sends a file. A name that never resolves (RFC 6761 section
 * 6.4), so that an unserved copy is recognisable.
 */
export const DOCS_ORIGIN = 'https://docs-origin.invalid'
