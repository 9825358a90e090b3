import { expect, it } from 'vitest'
import { PendingInput } from './pending-input.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (input: PendingInput) => new TextDecoder().decode(input.waiting.bytes)

it('goes on in another page with what the device has not acknowledged', () => {
  const first = new PendingInput(4)
  first.push(bytes('abcdefghij'))
  first.next(100)
  first.release(4)
  expect({ ...first.waiting, bytes: text(first) }).toEqual({ offset: 4, bytes: 'efghij' })

  const second = new PendingInput(4, first.waiting.offset)
  second.push(first.waiting.bytes)
  // The device has more than it had acknowledged: only what is missing is sent.
  second.rewind(8)
  expect(second.next(100)).toEqual({ offset: 8, bytes: bytes('ij') })
  second.release(10)
  expect(second.waiting).toEqual({ offset: 10, bytes: new Uint8Array(0) })
})
