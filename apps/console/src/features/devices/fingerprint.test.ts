import { describe, expect, it } from 'vitest'
import { keyFingerprint, wireKey } from './fingerprint.ts'

// Made with ssh-keygen, fingerprints as `ssh-keygen -l` prints them.
const ED25519 = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA3/z5mc85pDRSa7PnAg1/NWU7pa62zrWcLUfg2W6ztjk=
-----END PUBLIC KEY-----
`
const RSA = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwc55gD6NYH1XvvLmp+Wh
GhewAnD4wvohEPCunLGzhVXet7XDKGDDGVd+nYrtR4Lsb1zAbbIHdhIgDPgxq9GP
/10jLzpzx/sgS5peQw0nHLwt+QMvaKtF0dG8jLMeJEfWuwNW+Q59whgIZgb9zwle
fOB76axdM37QYypImXblDA0v2X8T/F3Q2Wa/YDobGNa9nlyQIgCbHXAbefY3hLf3
POBwCoTUAf9bR86HXkjatNSOV4pBW0i/F1+5JReeUcXHHgpQFGLxu1KjgyTV+uUO
cdIf6nd2xlpfbq0NA5msjYwFgYBiwB6h7Znus349UUGQccpIskR6BWz1SXLVb1gg
NQIDAQAB
-----END PUBLIC KEY-----
`
const RSA_PKCS1 = `-----BEGIN RSA PUBLIC KEY-----
MIIBCgKCAQEAwc55gD6NYH1XvvLmp+WhGhewAnD4wvohEPCunLGzhVXet7XDKGDD
GVd+nYrtR4Lsb1zAbbIHdhIgDPgxq9GP/10jLzpzx/sgS5peQw0nHLwt+QMvaKtF
0dG8jLMeJEfWuwNW+Q59whgIZgb9zwlefOB76axdM37QYypImXblDA0v2X8T/F3Q
2Wa/YDobGNa9nlyQIgCbHXAbefY3hLf3POBwCoTUAf9bR86HXkjatNSOV4pBW0i/
F1+5JReeUcXHHgpQFGLxu1KjgyTV+uUOcdIf6nd2xlpfbq0NA5msjYwFgYBiwB6h
7Znus349UUGQccpIskR6BWz1SXLVb1ggNQIDAQAB
-----END RSA PUBLIC KEY-----
`

describe('the fingerprint of a device key', () => {
  it.each([
    ['Ed25519', ED25519, 'SHA256:IckW7uv5jsAfHBakS4iJmpNcllrCmw5frFT8QL9qKj4'],
    ['RSA', RSA, 'SHA256:Tsx55MByAf0zTqW4qf4FRPOJx3bL4bg0bo5IA3PORtA'],
    ['RSA in PKCS#1', RSA_PKCS1, 'SHA256:Tsx55MByAf0zTqW4qf4FRPOJx3bL4bg0bo5IA3PORtA'],
  ])('matches the fingerprint of ssh-keygen for %s', async (_, pem, fingerprint) => {
    expect(await keyFingerprint(pem)).toBe(fingerprint)
  })

  it.each([
    ['nothing', ''],
    ['words', 'a key'],
    ['a cut key', ED25519.replace('cLUfg2W6ztjk=', '')],
    ['another structure', '-----BEGIN PUBLIC KEY-----\nBAQECAk=\n-----END PUBLIC KEY-----'],
    ['lengths that lie', '-----BEGIN PUBLIC KEY-----\nMIT/////AAA=\n-----END PUBLIC KEY-----'],
  ])('has no fingerprint for %s', async (_, pem) => {
    expect(wireKey(pem)).toBeUndefined()
    expect(await keyFingerprint(pem)).toBeUndefined()
  })
})
