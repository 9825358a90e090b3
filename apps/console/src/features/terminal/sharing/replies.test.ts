import { expect, it } from 'vitest'
import { isReply } from './replies.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

it.each([
  '\u001B[?1;2c',
  '\u001B[>0;276;0c',
  '\u001B[24;80R',
  '\u001B[0n',
  '\u001BP1+r544e\u001B\\',
  '\u001B]11;rgb:0/0/0\u0007',
  '\u001B[I',
])('a report of the terminal is a reply: %j', (text) => expect(isReply(bytes(text))).toBe(true))

it.each(['ls -l\r', '', '\u001B[200~pasted\u001B[201~', '\u001B[<0;10;5M', '\u001B[M !!'])(
  'what comes from a person is none: %j',
  (text) => expect(isReply(bytes(text))).toBe(false),
)
