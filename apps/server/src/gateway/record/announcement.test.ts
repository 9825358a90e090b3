import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { announce, connectedLine } from './announcement.ts'

const shown = (text: string) => Buffer.from(announce(text)).toString()

describe('announcement', () => {
  it('names the device in the connected line', () => {
    expect(Buffer.from(connectedLine('root@dev.pi')).toString()).toBe('Connected to root@dev.pi through Bowline.\r\n')
    expect(shown(' ')).toBe('')
  })

  it('prints the namespace’s announcement line by line', () => {
    expect(shown('Be\nkind \n\n')).toBe('Be\r\nkind\r\n')
  })

  it('strips control characters from announcements', () => {
    expect(shown('\u001b]0;title\u0007red \u001b[31m \u009b2J')).toContain(']0;titlered [31m 2J')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(shown(text)).toMatch(/^[^\p{Cc}]*(\r\n[^\p{Cc}\t]*|\t)*(\r\n|\t|[^\p{Cc}])*$/u)
      }),
    )
  })
})
