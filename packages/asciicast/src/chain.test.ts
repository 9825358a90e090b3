import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { assert, nat, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Chain, createChain } from './chain.ts'
import { type Verdict, createVerifier } from './verify.ts'
import { createEventLines, headerLine } from './write.ts'

const keys = generateKeyPairSync('ed25519')
const others = generateKeyPairSync('ed25519')
const ID = '0b1e7d52-6f0f-4a58-9d5e-3d1c2b4a5f60'
const signed = (key: typeof keys) => (text: string) =>
  sign(null, Buffer.from(text), key.privateKey).toString('base64url')

/** The lines of a recording with these chunks. */
function recordingOf(chunks: readonly (readonly string[])[], id = ID, key = keys): string[] {
  const chain: Chain = createChain(id, signed(key))
  const events = createEventLines()
  const written: string[] = []
  const write = (line: string): void => {
    chain.add(Buffer.from(line))
    written.push(line)
  }
  write(headerLine({ columns: 80, rows: 24 }))
  chunks.forEach((texts, index) => {
    for (const text of texts) write(events.next('o', text, index * 1_000))
    written.push(chain.closeChunk())
  })
  return [...written.filter((line) => line !== ''), chain.seal('complete', events.atMs).line]
}

function look(bytes: Uint8Array | string, id = ID): Verdict {
  const verifier = createVerifier(id, (text, signature) =>
    verify(null, Buffer.from(text), keys.publicKey, Buffer.from(signature, 'base64url')),
  )
  verifier.push(Buffer.from(bytes))
  return verifier.end()
}

const THREE = recordingOf([['one', 'more'], ['two'], ['three', 'last']])
const whole = THREE.join('')
/** The chunk index of each byte of the recording. */
const chunkOf = THREE.flatMap((line, index) => {
  const before = THREE.slice(0, index).filter((one) => one.startsWith('# chunk')).length
  return Array.from<number>({ length: Buffer.byteLength(line) }).fill(before)
})

describe('the chain of a recording', () => {
  it('verifies an unmodified recording in pieces of any size', () => {
    expect(look(whole)).toMatchObject({ result: 'intact', seal: { chunks: 3, state: 'complete', atMs: 2_000 } })
    const verifier = createVerifier(ID, () => true)
    for (const byte of Buffer.from(whole)) verifier.push(Uint8Array.of(byte))
    expect(verifier.end()).toMatchObject({ result: 'intact' })
  })

  it('reports the chunk of any flipped bit', () => {
    assert(
      property(nat(chunkOf.length - 1), nat(7), (at, bit) => {
        const bytes = Buffer.from(whole)
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
        const verdict = look(bytes)
        // The flip may destroy the last newline: then the seal is unfinished, which counts as truncation.
        const named = { tampered: 'chunk', unsealed: 'state.chunks', intact: 'no chunk' }[verdict.result]
        expect(verdict).toHaveProperty(named, chunkOf[at])
      }),
      { numRuns: 500 },
    )
  })

  it('accepts no alternative encoding of a signature', () => {
    const signatures = [...whole.matchAll(/ [\w-]{86}\n/g)].map(({ index }) => index + 86)
    expect(signatures).toHaveLength(4)
    const flips = signatures.flatMap((at) => [0, 1, 2, 3, 4, 5, 6, 7].map((bit) => [at, bit] as const))
    const results = flips.map(([at, bit]) => {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
      return look(bytes).result
    })
    expect(results).not.toContain('intact')
  })

  it('reports truncation anywhere and the number of remaining chunks', () => {
    assert(
      property(nat(chunkOf.length - 1), (length) => {
        const verdict = look(Buffer.from(whole).subarray(0, length))
        expect(verdict).toMatchObject({ result: 'unsealed', state: { chunks: chunkOf[length] } })
      }),
    )
  })

  it('reports the first chunk that was moved, removed or inserted', () => {
    const chunks = whole.split(/(?<=# chunk [^\n]*\n)/)
    const [one = '', two = '', three = '', seal = ''] = chunks
    expect(look(one + three + two + seal)).toMatchObject({ result: 'tampered', chunk: 1 })
    expect(look(two + one + three + seal)).toMatchObject({ result: 'tampered', chunk: 0 })
    expect(look(one + three + seal)).toMatchObject({ result: 'tampered', chunk: 1 })
    expect(look(one + two + seal)).toMatchObject({ result: 'tampered', chunk: 2 })
    expect(look(one + two + two + three + seal)).toMatchObject({ result: 'tampered', chunk: 2 })
    expect(look(`${whole}[0,"o","later"]\n`)).toMatchObject({ result: 'tampered', chunk: 3 })
    expect(look(`${whole}x`)).toMatchObject({ result: 'tampered', chunk: 3 })
  })

  it('reports the first chunk rewritten without the key', () => {
    const forged = recordingOf([['one', 'more'], ['false'], ['three']], ID, others)
    const [ours = ''] = whole.split(/(?<=# chunk 0[^\n]*\n)/)
    const theirs = forged.join('').split(/(?<=# chunk 0[^\n]*\n)/)[1] ?? ''
    expect(look(ours + theirs)).toMatchObject({ result: 'tampered', chunk: 1, rule: 'its signature is invalid' })
  })

  it('binds a chain to one recording', () => {
    expect(look(whole, 'another')).toMatchObject({ result: 'tampered', chunk: 0 })
    expect(look(recordingOf([['one']], 'another').join(''))).toMatchObject({ result: 'tampered', chunk: 0 })
  })

  it('resumes where an earlier process stopped', () => {
    const [first = ''] = whole.split(/(?<=# chunk 0[^\n]*\n)/)
    const left = look(first)
    if (left.result !== 'unsealed') throw new Error('it has no seal')
    const chain = createChain(ID, signed(keys), left.state)
    const line = createEventLines().next('o', 'later', 5)
    chain.add(Buffer.from(line))
    const rest = line + chain.closeChunk() + chain.seal('truncated', 5).line
    expect(look(first + rest)).toMatchObject({ result: 'intact', seal: { chunks: 2, state: 'truncated' } })
  })
})
