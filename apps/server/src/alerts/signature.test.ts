import { expect, it } from 'vitest'
import { signatureOf } from './signature.ts'

it('signs the time and the body, as the example of the documentation has it', () => {
  const secret = 'whs-3q2-7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxg'
  const body = '{"id":"3f6c1f9e-0d5b-4c8a-9b1e-2a7d4e6f8c01","type":"test"}'
  expect(signatureOf(secret, body, 1_767_225_600_999)).toBe(
    't=1767225600,v1=a5aeb8d7833ac58f577bf2da7ecaf0cf036e87f167cb017b168cb8b2fbacda11',
  )
})
