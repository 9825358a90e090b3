// Redirect addresses of OpenID providers: one for each issuer. With one for all, a hostile provider among several could
// have an honest one answer a request of its own making, and sign in as its people (RFC 9700 section 4.4).

/** Letters that stand for themselves; every other one, also those used here as marks, becomes `=` and its code. */
const PLAIN = /[A-Za-z0-9.-]/

/**
 * The redirect address of an issuer. Different issuers have different ones.
 * @param base address that all of them begin with
 * @param issuer as the provider names itself; a slash at its end makes another one
 */
export function openidRedirectUrl(base: string, issuer: string): string {
  return `${base}/${redirectName(issuer)}`
}

/** Last part of an issuer's redirect address: `idp.example.com~realms~staff`. */
export function redirectName(issuer: string): string {
  return issuer.replace(/^https:\/\//, '').replaceAll(/./gsu, (letter) => encode(letter))
}

function encode(letter: string): string {
  if (PLAIN.test(letter)) return letter
  if (letter === '/') return '~'
  if (letter === ':') return '_'
  return `=${letter.codePointAt(0)?.toString(16)}=`
}
