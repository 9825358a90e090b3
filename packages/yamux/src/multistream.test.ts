import { duplexPair } from 'node:stream'
import { assert, nat, property, string, uint8Array } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerProtocol, encodeMessage, parseMessage, selectProtocol } from './multistream.ts'
import { parseLine, readHead } from './read-head.ts'

describe('multistream-select', () => {
  it('agrees on a protocol and leaves what follows to it', async () => {
    const [near, far] = duplexPair()
    const answered = answerProtocol(far, ['/one/1.0.0', '/two/1.0.0'])
    const selected = selectProtocol(near, '/two/1.0.0')
    near.write('and more\n')
    expect([await answered, await selected]).toEqual(['/two/1.0.0', undefined])
    expect(await readHead(far, parseLine, 100)).toBe('and more')
  })

  it('sends the bytes that the specification has', async () => {
    const [near, far] = duplexPair()
    void selectProtocol(near, '/ssh/open/1.0.0').catch(() => undefined)
    const bytes = await readHead(far, (seen) => (seen.length < 37 ? undefined : { value: seen, bytes: 37 }), 37)
    expect(bytes.toString('latin1')).toBe('\u0013/multistream/1.0.0\n\u0010/ssh/open/1.0.0\n')
    near.destroy()
  })

  it('says that the peer does not have a protocol', async () => {
    const [near, far] = duplexPair()
    const answered = answerProtocol(far, ['/one/1.0.0']).catch((error: unknown) => error)
    await expect(selectProtocol(near, '/other/1.0.0')).rejects.toThrow('the peer does not have /other/1.0.0')
    near.end()
    expect(await answered).toBeInstanceOf(Error)
  })

  it('gives up a peer that asks for everything', async () => {
    const [near, far] = duplexPair()
    const answered = answerProtocol(far, ['/one/1.0.0'])
    near.write(encodeMessage('/multistream/1.0.0'))
    for (let index = 0; index < 9; index += 1) near.write(encodeMessage(`/${index}`))
    await expect(answered).rejects.toThrow('too many')
  })

  it.each([
    ['another name', '\u0004abc\n'],
    ['a message of nothing', '\0'],
    ['a message that is too long', '\u00ff\u007f'],
    ['a message without a line feed', '\u0003abc'],
  ])('refuses %s', async (_, bytes) => {
    const [near, far] = duplexPair()
    const selected = selectProtocol(near, '/one')
    far.write(Buffer.from(bytes, 'latin1'))
    await expect(selected).rejects.toThrow(Error)
  })

  it('rejects when the stream ends first', async () => {
    const [near, far] = duplexPair()
    const selected = selectProtocol(near, '/one')
    far.resume().end()
    await expect(selected).rejects.toThrow('the stream has ended')
  })

  it('bounds a head that does not end', async () => {
    const [near, far] = duplexPair()
    far.write(Buffer.alloc(600, 'x'))
    await expect(readHead(near, parseLine, 512)).rejects.toThrow('more than 512 bytes')
  })

  it('reads back what it writes, and never throws anything but errors on other bytes', () => {
    assert(
      property(string({ maxLength: 300 }), nat(20), (text, extra) => {
        const bytes = encodeMessage(text)
        expect(parseMessage(Buffer.concat([bytes, Buffer.alloc(extra, 'x')]))).toEqual({
          value: Buffer.from(text).toString(),
          bytes: bytes.length,
        })
        for (let end = 0; end < bytes.length; end += 1) expect(parseMessage(bytes.subarray(0, end))).toBeUndefined()
      }),
      { numRuns: 50 },
    )
    const outcome = (bytes: Buffer): string => {
      try {
        return (parseMessage(bytes)?.bytes ?? 0) <= bytes.length ? 'within' : 'beyond'
      } catch (error) {
        return String(error)
      }
    }
    assert(
      property(uint8Array({ maxLength: 1_100 }), (bytes) => {
        expect(outcome(Buffer.from(bytes))).toMatch(/^within$|^Error: a message /)
      }),
    )
  })
})
