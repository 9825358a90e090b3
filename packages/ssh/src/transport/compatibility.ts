// Clients that support none of the modern algorithms, by identification string. The string is hashed into the exchange,
// so an attacker in the middle cannot make a modern client look like one of them.

/** Which clients are offered older algorithms: none, those known to need them, or all. */
export type Compatibility = 'modern' | 'auto' | 'all'

/** Each up to the last version that lacks encrypt-then-MAC, X25519 or Ed25519. */
const LEGACY_CLIENTS: readonly RegExp[] = [
  // curl and PHP of Debian 12, Perl's Net::SSH2, git2.
  /^SSH-2\.0-libssh2_1\.(?:\d|10)\./,
  // Capistrano, Vagrant, Chef: no X25519 without extra packages, and no Ed25519 either.
  /^SSH-2\.0-Ruby\/Net::SSH_/,
  /^SSH-2\.0-Twisted_/,
  /^SSH-2\.0-JSCH[-_]0\.1\./,
  /^SSH-2\.0-Renci\.SshNet\./,
  /^SSH-2\.0-paramiko_(?:1|2\.[0-6])\./,
  /^SSH-2\.0-libssh[_-]0\.[5-8]\./,
  /^SSH-2\.0-dropbear_20(?:0\d|1\d)\./,
  /^SSH-2\.0-phpseclib_[12]\./,
  /^SSH-2\.0-Erlang\/4\.[0-6]\b/,
]

/** @param ident the client's, without CR LF */
export function needsOlderAlgorithms(ident: string, compatibility: Compatibility): boolean {
  if (compatibility === 'auto') return LEGACY_CLIENTS.some((pattern) => pattern.test(ident))
  return compatibility === 'all'
}
