// Terminals that a new WebSocket may resume. The token grants access to the session, so only its hash is stored.
import { createHash, randomBytes } from 'node:crypto'
import type { SharedTerminal } from '../sharing/shared-terminal.ts'
import type { WebConnection } from './web-connection.ts'
import type { WebTerminal } from './web-terminal.ts'

/** State that the next WebSocket continues with. */
export interface ResumableTerminal {
  readonly terminal: WebTerminal
  readonly connection: Pick<WebConnection, 'peer' | 'moveTo' | 'resize' | 'disconnect' | 'leave'>
  /** Judges again after a change of the browser's address. */
  moved(): Promise<void>
  /** It goes on with another browser, or another connection of the same: tells what has changed meanwhile. */
  resumed(): void
  /** What its owner decides about others; undefined for those who have joined, and where nobody can. */
  readonly shared: SharedTerminal | undefined
}

export interface ResumableTerminals {
  /** @returns the resumption token */
  add(terminal: ResumableTerminal): string
  find(token: string): ResumableTerminal | undefined
  remove(token: string): void
}

/** The node that has the session of a token. */
export function nodeOf(token: string): string {
  return token.slice(token.indexOf('.') + 1)
}

/** @param node id of this one; tokens name it, so that other nodes know where to ask */
export function createResumableTerminals(node: string): ResumableTerminals {
  const terminals = new Map<string, ResumableTerminal>()
  return {
    add(terminal) {
      const token = `${randomBytes(32).toString('base64url')}.${node}`
      terminals.set(hash(token), terminal)
      return token
    },
    find: (token) => terminals.get(hash(token)),
    remove: (token) => void terminals.delete(hash(token)),
  }
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
