// One ChaCha20 block in our own arithmetic (RFC 8439 section 2.3, with the 64-bit nonce of the original). Only the first
// block of a packet comes from here, for the length and the MAC key: setting up OpenSSL's cipher for a few bytes costs
// 1.7 µs, this 0.2 µs. The arithmetic has no branches or lookups that depend on the key.

const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]
const work = new Int32Array(16)

function quarterRound(a: number, b: number, c: number, d: number): void {
  let wa = work[a] ?? 0
  let wb = work[b] ?? 0
  let wc = work[c] ?? 0
  let wd = work[d] ?? 0
  wa = (wa + wb) | 0
  wd ^= wa
  wd = (wd << 16) | (wd >>> 16)
  wc = (wc + wd) | 0
  wb ^= wc
  wb = (wb << 12) | (wb >>> 20)
  wa = (wa + wb) | 0
  wd ^= wa
  wd = (wd << 8) | (wd >>> 24)
  wc = (wc + wd) | 0
  wb ^= wc
  wb = (wb << 7) | (wb >>> 25)
  work[a] = wa
  work[b] = wb
  work[c] = wc
  work[d] = wd
}

/** Swaps the byte order of a 32-bit word. */
function swap(word: number): number {
  return ((word & 0xff) << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)
}

export class FirstBlock {
  readonly #state = new Int32Array(16)

  /** @param key 32 bytes */
  constructor(key: Buffer) {
    this.#state.set(CONSTANTS)
    for (let index = 0; index < 8; index += 1) this.#state[4 + index] = key.readInt32LE(index * 4)
  }

  /** Computes block 0 for a packet's sequence number, which is the nonce, big-endian. */
  #compute(sequence: number): void {
    const state = this.#state
    state[15] = swap(sequence)
    work.set(state)
    for (let round = 0; round < 10; round += 1) {
      quarterRound(0, 4, 8, 12)
      quarterRound(1, 5, 9, 13)
      quarterRound(2, 6, 10, 14)
      quarterRound(3, 7, 11, 15)
      quarterRound(0, 5, 10, 15)
      quarterRound(1, 6, 11, 12)
      quarterRound(2, 7, 8, 13)
      quarterRound(3, 4, 9, 14)
    }
  }

  #word(index: number): number {
    return ((work[index] ?? 0) + (this.#state[index] ?? 0)) | 0
  }

  /** The first four bytes of the key stream as a big-endian number, to mask a packet length with. */
  lengthMask(sequence: number): number {
    this.#compute(sequence)
    return swap(this.#word(0))
  }

  /** Writes the first 32 bytes of the key stream, the Poly1305 key of the packet, to `target`. */
  macKey(sequence: number, target: Buffer): void {
    this.#compute(sequence)
    for (let index = 0; index < 8; index += 1) target.writeInt32LE(this.#word(index), index * 4)
  }
}
