// The Blowfish cipher with bcrypt's extensions: key schedule with salt, and encryption of block pairs. Pure.

/** Words of the initial state: 18 subkeys and four boxes of 256, which are the fractional bits of pi. */
const STATE_WORDS = 18 + 4 * 256

let initialState: Uint32Array | undefined

/** arctan(1/x) scaled by 2^bits, by its series. */
function arctan(x: bigint, bits: bigint): bigint {
  let power = (1n << bits) / x
  let sum = power
  const square = x * x
  for (let divisor = 3n, sign = -1n; power > 0n; divisor += 2n, sign = -sign) {
    power /= square
    sum += (sign * power) / divisor
  }
  return sum
}

/** The initial state, computed once: a page of digits would be harder to verify than Machin's formula. */
function piWords(): Uint32Array {
  if (initialState) return initialState
  const guard = 64n
  const bits = BigInt(STATE_WORDS * 32) + guard
  const pi = 16n * arctan(5n, bits) - 4n * arctan(239n, bits)
  let fraction = (pi & ((1n << bits) - 1n)) >> guard
  const words = new Uint32Array(STATE_WORDS)
  for (let index = STATE_WORDS - 1; index >= 0; index -= 1) {
    words[index] = Number(fraction & 0xffff_ffffn)
    fraction >>= 32n
  }
  initialState = words
  return words
}

/** The 32-bit words of `bytes`, big-endian. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(bytes.length / 4)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let index = 0; index < words.length; index += 1) words[index] = view.getUint32(index * 4)
  return words
}

export class Blowfish {
  readonly #subkeys: Uint32Array
  readonly #boxes: Uint32Array
  #left = 0
  #right = 0

  constructor() {
    const initial = piWords()
    this.#subkeys = initial.slice(0, 18)
    this.#boxes = initial.slice(18)
  }

  /**
   * Mixes key and salt into the state (`EksBlowfish`); without salt the plain key schedule.
   * @param key and salt: 64 bytes each
   */
  expand(key: Uint8Array, salt?: Uint8Array): void {
    const keyWords = wordsOf(key)
    const saltWords = salt ? wordsOf(salt) : new Uint32Array(2)
    const subkeys = this.#subkeys
    for (let index = 0; index < 18; index += 1) {
      subkeys[index] = (subkeys[index] ?? 0) ^ (keyWords[index % keyWords.length] ?? 0)
    }
    this.#left = 0
    this.#right = 0
    let at = 0
    for (const state of [subkeys, this.#boxes]) {
      for (let index = 0; index < state.length; index += 2) {
        this.#left ^= saltWords[at] ?? 0
        this.#right ^= saltWords[at + 1] ?? 0
        at = (at + 2) % saltWords.length
        this.#encryptPair()
        state[index] = this.#left
        state[index + 1] = this.#right
      }
    }
  }

  /** Encrypts an even number of words in place, pair by pair. */
  encrypt(words: Uint32Array): void {
    for (let index = 0; index < words.length; index += 2) {
      this.#left = words[index] ?? 0
      this.#right = words[index + 1] ?? 0
      this.#encryptPair()
      words[index] = this.#left
      words[index + 1] = this.#right
    }
  }

  #encryptPair(): void {
    const subkeys = this.#subkeys
    const boxes = this.#boxes
    let left = this.#left
    let right = this.#right
    for (let round = 0; round < 16; round += 1) {
      left ^= subkeys[round] ?? 0
      const sum = ((boxes[left >>> 24] ?? 0) + (boxes[256 + ((left >>> 16) & 0xff)] ?? 0)) | 0
      right ^= ((sum ^ (boxes[512 + ((left >>> 8) & 0xff)] ?? 0)) + (boxes[768 + (left & 0xff)] ?? 0)) | 0
      const swapped = left
      left = right
      right = swapped
    }
    this.#left = right ^ (subkeys[17] ?? 0)
    this.#right = left ^ (subkeys[16] ?? 0)
  }
}
