// Clients that know none of the modern algorithms, by their identification string. It is hashed into the exchange, so
// nobody on the way can make a modern client look like one of them.

/** Whom older algorithms are offered to: nobody, clients that are known to need them, or everybody. */
export type Compatibility = 'modern' | 'auto' | 'all'

/** Each up to the last version that lacks encrypt-then-MAC, X25519 or Ed25519. */
const IN_NEED: readonly RegExp[] = [
  // curl and PHP of Debian 12, Perl's Net::SSH2, git2.
  /^SSH-2\.0-libssh2_1\.(?:\d|10)\./,
  // Capistrano, Vagrant, Chef: knows no X25519 without extra packages, and no Ed25519 either.
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

/** @param ident of the client, without CR LF */
export function needsOlderAlgorithms(ident: string, compatibility: Compatibility): boolean {
  if (compatibility === 'auto') return IN_NEED.some((pattern) => pattern.test(ident))
  return compatibility === 'all'
}
