import { expect, it } from 'vitest'
import { openidRedirectUrl, redirectName } from './openid-redirect.ts'

it('gives every issuer a redirect address of its own', () => {
  expect(openidRedirectUrl('https://bowline.example.com/api/user/openid/callback', 'https://idp.example.com')).toBe(
    'https://bowline.example.com/api/user/openid/callback/idp.example.com',
  )
  const issuers = [
    'https://idp.example.com',
    'https://idp.example.com/',
    'https://idp-example.com',
    'https://idp.example.com/realms/staff',
    'https://idp.example.com/realms~staff',
    'https://idp.example.com/realms_staff',
    'https://idp.example.com:8443',
    'https://idp.example.com/Realms/Staff',
    'https://idp.example.com/realms?staff=1',
    'https://idp.example.com/realms=3f=staff',
    'http://idp.example.com',
    'https://http_~~idp.example.com',
  ]
  const names = issuers.map((issuer) => redirectName(issuer))
  expect(new Set(names).size).toBe(issuers.length)
  for (const name of names) expect(name).toMatch(/^[\w.~=-]+$/)
})
