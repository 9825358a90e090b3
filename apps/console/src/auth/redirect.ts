// Validates the redirect target after sign-in. It comes from the URL, so it is untrusted.

/**
 * The path to open after signing in.
 * @param requested value of `?redirect=`
 * @param origin the page's own
 * @returns path, query and hash on this origin; `/` for anything else (another origin, `javascript:`, the sign-in page)
 */
export function safeRedirect(requested: string | undefined, origin: string): string {
  if (requested === undefined || !requested.startsWith('/')) return '/'
  let url: URL
  try {
    url = new URL(requested, origin)
  } catch {
    return '/'
  }
  if (url.origin !== origin || url.pathname.startsWith('//')) return '/'
  if (url.pathname === '/sign-in' || url.pathname === '/setup') return '/'
  return `${url.pathname}${url.search}${url.hash}`
}
