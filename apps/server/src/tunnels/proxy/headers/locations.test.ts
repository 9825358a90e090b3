import { expect, it } from 'vitest'
import { visitorLocation } from './locations.ts'

const origin = { remote: '192.0.2.1', host: 'a.tunnels.example:8443', secure: true }
const target = { host: '127.0.0.1', port: 3_000, hostHeader: '' }

it.each([
  ['http://a.tunnels.example:3000/folder/', 'the tunnel’s name with the port of the service'],
  ['http://a.tunnels.example/folder/', 'the tunnel’s name alone'],
  ['HTTP://A.tunnels.example:8443/folder/', 'the tunnel’s host, without TLS'],
  ['http://127.0.0.1:3000/folder/', 'the address on the device'],
])('leads %s to the tunnel: %s', (location) => {
  expect(visitorLocation(location, origin, target)).toBe('https://a.tunnels.example:8443/folder/')
})

it.each([
  '/folder/',
  'folder/',
  '//a.tunnels.example:3000/',
  'https://other.example/',
  'http://a.tunnels.example:4000/',
  'http://a.tunnels.example.evil.example/',
  'http://127.0.0.1:3001/',
  'http://127.0.0.1/',
  'http://user@127.0.0.1:3000/',
  'mailto:a@tunnels.example',
])('leaves %s as it is', (location) => {
  expect(visitorLocation(location, origin, target)).toBe(location)
})

it('knows the service by the host of the tunnel’s setting, with query and fragment', () => {
  const named = { ...target, hostHeader: 'printer.local' }
  const leads = (location: string) => visitorLocation(location, origin, named)
  expect(leads('http://printer.local/a?b=http://printer.local/#c')).toBe(
    'https://a.tunnels.example:8443/a?b=http://printer.local/#c',
  )
  expect(leads('http://printer.local:3000?x')).toBe('https://a.tunnels.example:8443?x')
  expect(leads('https://printer.local:631/')).toBe('https://printer.local:631/')
})

it('knows a service with an IPv6 address', () => {
  const six = { ...target, host: '::1' }
  expect(visitorLocation('http://[::1]:3000/x', origin, six)).toBe('https://a.tunnels.example:8443/x')
})
