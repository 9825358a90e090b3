import { describe, expect, it } from 'vitest'
import { type KnownHosts, hostCount, knownHosts } from './known-hosts.ts'

const NOTHING: KnownHosts = {
  domain: undefined,
  tunnelsDomain: undefined,
  allowed: [],
  certificate: undefined,
  machine: new Set(['box', 'box.lan']),
}
const ALL: KnownHosts = {
  ...NOTHING,
  domain: 'Bowline.example.com',
  tunnelsDomain: 'tunnels.example.net',
  allowed: ['other.example.org', '*.dev.example.org'],
}

describe('knownHosts', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.1:8080',
    '192.0.2.7:443',
    '[::1]:8080',
    '[2001:db8::7]',
    'localhost',
    'LOCALHOST:8080',
    'console.localhost:5173',
    'localhost.',
    'box',
    'box.lan:8080',
    '',
  ])('accepts addresses, localhost and the machine’s own names without settings: %s', (host) => {
    expect(knownHosts(NOTHING)(host)).toBe(true)
  })

  it.each([
    'bowline.example.com',
    'BOWLINE.example.com:443',
    'bowline.example.com.',
    'tunnels.example.net',
    '0011.tunnels.example.net',
    'other.example.org:8443',
    'a.dev.example.org',
  ])('accepts configured names: %s', (host) => {
    expect(knownHosts(ALL)(host)).toBe(true)
  })

  it.each([
    'evil.example',
    'evil.example:8080',
    'bowline.example.com.evil.example',
    'evil-bowline.example.com',
    'eviltunnels.example.net',
    'dev.example.org.evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'user@localhost',
    'localhost:8080:80',
    'localhost/evil',
    'local host',
    ':8080',
    '[::1',
    '127.1.evil',
  ])('rejects other names: %s', (host) => {
    expect(knownHosts(ALL)(host)).toBe(false)
  })
})

it('counts Host headers in any case, and no values', () => {
  expect(hostCount(['Host', 'a', 'hOST', 'b', 'X-Name', 'host'])).toBe(2)
})
