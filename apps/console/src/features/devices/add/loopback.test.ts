import { expect, it } from 'vitest'
import { isLoopback } from './loopback.ts'

it.each(['localhost', 'LOCALHOST', 'app.localhost', '127.0.0.1', '127.1.2.3', '[::1]'])(
  '%s is this machine',
  (host) => {
    expect(isLoopback(new URL(`http://${host}:8080`).hostname)).toBe(true)
  },
)

it.each(['localhost.example.com', '10.0.0.1', '127.0.0.1.nip.io', '[::2]', '[2001:db8::1]', 'mylocalhost'])(
  '%s is another',
  (host) => {
    expect(isLoopback(new URL(`http://${host}:8080`).hostname)).toBe(false)
  },
)
