import { expect, it } from 'vitest'
import { createOutput } from './output.ts'

it('decodes chunks cut anywhere, even inside a character, and never loops on a repeated sequence', () => {
  const said = Buffer.from('\ufeff€\u001b[2147483647L\u009b2147483647Sé\u{1f600}')
  for (let at = 0; at <= said.length; at += 1) {
    const shown: string[] = []
    let done = 0
    const output = createOutput({
      cols: 80,
      rows: 24,
      write(text, callback) {
        shown.push(String(text))
        callback?.()
      },
    })
    for (const piece of [said.subarray(0, at), said.subarray(at)]) output(piece, () => (done += 1))
    expect(shown.join('')).toBe('\ufeff€\u001b[24L\u001b[24Sé\u{1f600}')
    expect(done).toBe(2)
  }
})
