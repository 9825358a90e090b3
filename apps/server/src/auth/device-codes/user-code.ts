// Codes that people copy from one screen to another: consonants only, so that no words arise and none are confused.
import { randomInt } from 'node:crypto'

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

/** A new code of 34 bits, such as `WDJB-MJHT`. */
export function newUserCode(): string {
  return shownUserCode(Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join(''))
}

/** A code with its hyphen. @param letters as {@link plainUserCode} has them */
export function shownUserCode(letters: string): string {
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`
}

/** The code as people type it: any case, with or without separators. */
export function plainUserCode(typed: string): string {
  return typed.toUpperCase().replaceAll(/[^A-Z]/g, '')
}
